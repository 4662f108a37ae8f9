/** Reports as they leave the server: for who made them, and for admins. */
import type { AdminReport, Report } from './schemas.ts';
import type { Subject } from './subjects.ts';

export type ReportRow = {
  reporterId: string;
  id: string;
  subjectType: Subject['type'];
  subjectId: string;
  aboutId: string;
  reason: Report['reason'];
  text: string;
  status: 'open' | 'resolved';
  note: string;
  createdAt: Date;
  resolvedAt: Date | null;
};
type Involved = { id: string; name: string; username: string; isSuspended: boolean };
export type MessageText = { text: string; createdAt: Date };
/** `message`: what was reported, where it is a message. */
export type AdminReportRow = ReportRow & { reporter: Involved; about: Involved; message: MessageText | null };

export const toReport = (row: ReportRow): Report => ({
  id: row.id,
  subject: { type: row.subjectType, id: row.subjectId },
  reason: row.reason,
  text: row.text,
  status: row.status,
  createdAt: row.createdAt.toISOString(),
});

export const toAdminReport = (row: AdminReportRow): AdminReport => ({
  ...toReport(row),
  reporter: row.reporter,
  about: row.about,
  message: row.message && { text: row.message.text, createdAt: row.message.createdAt.toISOString() },
  note: row.note,
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});

import type { AdminReport, Report } from './schemas.ts';

/** `aboutId`: the person whom the report concerns. */
export type ReportRow = Pick<AdminReport, 'id' | 'reason' | 'text' | 'status' | 'note'> & {
  reporterId: string;
  subjectType: Report['subject']['type'];
  subjectId: string;
  aboutId: string;
  createdAt: Date;
  resolvedAt: Date | null;
};
export type MessageText = { text: string; createdAt: Date };
/** `message`: the reported message; null if the subject is not a message. */
export type AdminReportRow = ReportRow &
  Pick<AdminReport, 'reporter' | 'about'> & { message: MessageText | null };

/** For the reporter. */
export const toReport = (row: ReportRow): Report => ({
  id: row.id,
  subject: { type: row.subjectType, id: row.subjectId },
  reason: row.reason,
  text: row.text,
  status: row.status,
  createdAt: row.createdAt.toISOString(),
});

/** For admins. */
export const toAdminReport = (row: AdminReportRow): AdminReport => ({
  ...toReport(row),
  reporter: row.reporter,
  about: row.about,
  message: row.message && { text: row.message.text, createdAt: row.message.createdAt.toISOString() },
  note: row.note,
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
});

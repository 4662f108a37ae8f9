import { avatarUrl } from '../../people/present.ts';
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
export type InvolvedRow = Omit<AdminReport['about'], 'avatar'> & { avatarUpload: string | null };
/** `message`: the reported message or comment; null for other subjects. */
export type AdminReportRow = ReportRow & {
  reporter: InvolvedRow;
  about: InvolvedRow;
  message: MessageText | null;
};

/** For the reporter. */
export const toReport = (row: ReportRow): Report => ({
  id: row.id,
  subject: { type: row.subjectType, id: row.subjectId },
  reason: row.reason,
  text: row.text,
  status: row.status,
  createdAt: row.createdAt,
});

/** For admins. */
export const toAdminReport = (row: AdminReportRow, publicUrl: string): AdminReport => ({
  ...row,
  ...toReport(row),
  reporter: toInvolved(row.reporter, publicUrl),
  about: toInvolved(row.about, publicUrl),
});

const toInvolved = ({ avatarUpload, ...row }: InvolvedRow, publicUrl: string): AdminReport['about'] => ({
  ...row,
  avatar: avatarUrl(publicUrl, { id: row.id, avatarUpload }),
});

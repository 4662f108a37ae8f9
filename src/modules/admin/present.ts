import type { AuditRow } from '../../audit/audit.ts';
import { type FlagName, flagTable } from '../../flags/flags.ts';
import type { MailRow } from '../../mail/mails.ts';
import { avatarUrl } from '../people/present.ts';
import type { AdminMail, AdminUser, AuditEntry, Flag } from './schemas.ts';

export type AdminUserRow = Omit<AdminUser, 'avatar' | 'isSuspended' | 'suspension'> & {
  avatarUpload: string | null;
  suspendedAt: Date | null;
  suspensionReason: string;
  createdAt: Date;
};

export const toAdminUser = (
  { avatarUpload, suspendedAt, suspensionReason: reason, ...row }: AdminUserRow,
  publicUrl: string,
): AdminUser => ({
  ...row,
  avatar: avatarUrl(publicUrl, { id: row.id, avatarUpload }),
  isSuspended: suspendedAt !== null,
  suspension: suspendedAt && { suspendedAt, reason },
});

/** @param changedAt null if no admin has switched the flag */
export const toFlag = (name: FlagName, enabled: boolean, changedAt: Date | null): Flag => ({
  name,
  enabled,
  description: flagTable[name],
  changedAt,
});

export const toAuditEntry = ({ who, byId, ...row }: AuditRow): AuditEntry => ({
  ...row,
  who: who.toString('base64url').slice(0, 12),
  byUserId: byId,
});

export const toAdminMail = ({ kind, state, dueAt, ...row }: MailRow): AdminMail => ({
  ...row,
  kind: kind as AdminMail['kind'],
  state,
  dueAt: state === 'queued' ? dueAt : null,
});

import type { AuditRow } from '../../audit/audit.ts';
import { avatarUrl } from '../people/present.ts';
import type { AdminUser, AuditEntry } from './schemas.ts';

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

export const toAuditEntry = ({ who, byId, ...row }: AuditRow): AuditEntry => ({
  ...row,
  who: who.toString('base64url').slice(0, 12),
  byUserId: byId,
});

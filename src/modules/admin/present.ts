import type { AuditRow } from '../../audit/audit.ts';
import type { FlagName, FlagRow } from '../../flags/flags.ts';
import { flagNames, flagTable } from '../../flags/flags.ts';
import type { AdminUser, AuditEntry, Flag } from './schemas.ts';

export type AdminUserRow = {
  id: string;
  name: string;
  username: string;
  phone: string;
  role: 'user' | 'admin';
  suspendedAt: Date | null;
  createdAt: Date;
};

export const toAdminUser = ({ suspendedAt, createdAt, ...row }: AdminUserRow): AdminUser => ({
  ...row,
  isSuspended: suspendedAt !== null,
  createdAt: createdAt.toISOString(),
});

/** Returns all flags. A flag without a row has its configured default. */
export function toFlags(rows: FlagRow[], defaults: Record<FlagName, boolean>): Flag[] {
  const rowsByName = new Map(rows.map((row) => [row.name, row]));
  return flagNames.map((name) => {
    const row = rowsByName.get(name);
    return {
      name,
      enabled: row?.enabled ?? defaults[name],
      description: flagTable[name],
      changedAt: row?.changedAt.toISOString() ?? null,
    };
  });
}

export const toAuditEntry = (row: AuditRow & { id: string }): AuditEntry => ({
  id: row.id,
  at: row.at.toISOString(),
  what: row.what,
  userId: row.userId,
  username: row.username,
  who: row.who.toString('base64url').slice(0, 12),
  byUserId: row.byId,
  address: row.address,
  detail: row.detail,
});

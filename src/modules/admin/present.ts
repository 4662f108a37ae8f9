import type { AuditRow } from '../../audit/audit.ts';
import { type FlagName, type FlagRow, flagNames, flagTable } from '../../flags/flags.ts';
import type { AdminUser, AuditEntry, Flag } from './schemas.ts';

export type AdminUserRow = Omit<AdminUser, 'isSuspended' | 'createdAt'> & {
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

export const toAuditEntry = ({ at, who, byId, ...row }: AuditRow): AuditEntry => ({
  ...row,
  at: at.toISOString(),
  who: who.toString('base64url').slice(0, 12),
  byUserId: byId,
});

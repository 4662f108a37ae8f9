import { dayMs, parseDay, parseTimestamp } from '#base';
import { type AuditRow, listAudit } from '../audit/audit.ts';
import type { Config } from '../config/config.ts';
import { runCommand } from './command/command-context.ts';
import { CommandError } from './command/command-error.ts';

const unitMs: Record<string, number> = { d: dayMs, h: 3_600_000 };

/**
 * `audit [--since 2026-11-01 | 7d | 12h]`: prints one line per entry, oldest first, with tabs between the
 * fields.
 */
export async function auditCommand(config: Config, { since = '30d' }: { since?: string }): Promise<void> {
  const from = parseSince(since, new Date());
  await runCommand(config, async ({ db }) => {
    for await (const rows of listAudit(db, from)) {
      for (const row of rows) console.log(formatLine(row));
    }
  });
}

/** Returns the start of the period. @throws CommandError if `text` is neither a time nor a duration */
export function parseSince(text: string, now: Date): Date {
  const [, count = '', unit = ''] = /^(\d{1,4})([dh])$/.exec(text) ?? [];
  if (count) return new Date(now.getTime() - Number(count) * (unitMs[unit] ?? dayMs));
  const time = parseTimestamp(text) ?? parseDay(text);
  if (!time)
    throw new CommandError(
      `"${text}" is not a time; --since takes 2026-11-01, 2026-11-01T12:00:00Z, 7d or 12h.`,
    );
  return time;
}

function formatLine({ at, what, userId, username, who, byId, address, detail }: AuditRow): string {
  // A deleted account has no id. This name only groups the entries of one account.
  const person = userId ?? `gone:${who.toString('base64url').slice(0, 12)}`;
  const name = username === null ? '-' : `@${username}`;
  // The detail may be text of an admin with line breaks.
  const details = [detail.replace(/\s+/g, ' '), byId && `by ${byId}`].filter(Boolean).join(', ');
  return [at.toISOString(), what, person, name, address ?? '-', details].join('\t').trimEnd();
}

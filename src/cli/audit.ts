import { type AuditRow, listAudit } from '../audit/audit.ts';
import type { Config } from '../lib/config.ts';
import { dayMs, parseDay, parseTimestamp } from '../lib/time.ts';
import { CommandError, runCommand } from './world.ts';

const units: Record<string, number> = { d: dayMs, h: 3_600_000 };

/** `audit [--since 2026-11-01 | 7d | 12h]`: a line for each entry, the oldest first, parted by tabs. */
export async function auditCommand(config: Config, { since = '30d' }: { since?: string }): Promise<void> {
  const from = readSince(since, new Date());
  await runCommand(config, async ({ db }) => {
    for await (const rows of listAudit(db, from)) {
      for (const row of rows) console.log(toLine(row));
    }
  });
}

/** @throws CommandError that says what a moment looks like */
export function readSince(text: string, now: Date): Date {
  const [, count = '', unit = ''] = /^(\d{1,4})([dh])$/.exec(text) ?? [];
  if (count) return new Date(now.getTime() - Number(count) * (units[unit] ?? dayMs));
  const moment = parseTimestamp(text) ?? parseDay(text);
  if (!moment)
    throw new CommandError(
      `"${text}" is no time; --since takes 2026-11-01, 2026-11-01T12:00:00Z, 7d or 12h.`,
    );
  return moment;
}

function toLine({ at, what, userId, username, who, byId, address, detail }: AuditRow): string {
  // Whose account is gone has a name that only tells their lines from those of others.
  const person = userId ?? `gone:${who.toString('base64url').slice(0, 12)}`;
  const name = username === null ? '-' : `@${username}`;
  // What an admin wrote may have lines of its own; an entry has one.
  const more = [detail.replace(/\s+/g, ' '), byId && `by ${byId}`].filter(Boolean).join(', ');
  return [at.toISOString(), what, person, name, address ?? '-', more].join('\t').trimEnd();
}

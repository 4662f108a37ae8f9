/** How many mails all servers send in an hour: `MAIL_PER_HOUR`. */
import type { Database } from '../db/client.ts';
import { AdvisoryLock } from '../db/locks.ts';
import { sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { hourMs, minuteMs } from '../lib/time.ts';

/** The part of the mails of an hour that only codes may use: many notices must not keep people from signing in. */
const shareOfCodes = 1 / 5;

type MailUse = 'code' | 'notice';

/**
 * Counts a mail that is to be sent. In any 60 minutes, no more than `perHour` mails are counted: one transaction at a time
 * reads the counts and adds to them.
 * @returns false if the mail may not be sent now
 */
export const countMail = (db: Database, use: MailUse, perHour: number, now: Date): Promise<boolean> =>
  transaction(db, async (tx, commit) => {
    await tx.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.mailCounts})`);
    const [row] = await tx.query<{ sent: number }>(sql`
      select coalesce(sum(mails), 0)::int as sent from mail_counts
      where minute > ${oldestOf(now)}`);
    const limit = use === 'code' ? perHour : Math.ceil(perHour * (1 - shareOfCodes));
    if ((row?.sent ?? 0) >= limit) return false;
    await commit(sql`
      insert into mail_counts as c (minute, mails) values (${minuteOf(now)}, 1)
      on conflict (minute) do update set mails = c.mails + 1`);
    return true;
  });

/** Takes back the count of a mail that was not sent. */
export async function uncountMail(db: Database, countedAt: Date): Promise<void> {
  await db.execute(sql`
    update mail_counts set mails = mails - 1 where minute = ${minuteOf(countedAt)} and mails > 0`);
}

export async function deleteExpiredMailCounts(db: Database, now: Date): Promise<void> {
  await db.execute(sql`delete from mail_counts where minute <= ${oldestOf(now)}`);
}

/** A minute counts until an hour after its end, because its mails may have been sent then. */
const oldestOf = (now: Date): Date => new Date(now.getTime() - hourMs - minuteMs);

const minuteOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % minuteMs));

/** How many mails all servers send in an hour: `MAIL_PER_HOUR`, of which each use can take a part. */
import { hourMs, minuteMs } from '#base';
import { type Database, sql, transaction } from '#pg';
import { AdvisoryLock } from '../schema/locks.ts';

/** `strangerCode`: a code that an unknown client network requested. `code`: any other code, and a test. */
export type MailUse = 'code' | 'strangerCode' | 'notice';

/**
 * The part of the mails of an hour after which no mail of this use is sent. Many notices must not keep people from signing in, and
 * strangers who request codes for any address must keep neither people on known devices and in known networks from signing in,
 * nor people from notices.
 */
const shares: Record<MailUse, number> = { code: 1, strangerCode: 9 / 10, notice: 4 / 5 };
/** The part that codes for unknown client networks can take. */
const shareOfStrangers = 3 / 5;

/** Of a small number, at least one mail. */
const partOf = (perHour: number, share: number): number => Math.max(1, Math.floor(perHour * share));

/**
 * Counts a mail that is to be sent. In any 60 minutes, no more than `perHour` mails are counted, and no more than the part of
 * their use: one transaction at a time reads the counts and adds to them.
 * @returns false if the mail may not be sent now
 */
export const countMail = (db: Database, use: MailUse, perHour: number, now: Date): Promise<boolean> =>
  transaction(db, async (tx, commit) => {
    await tx.query(sql`select pg_advisory_xact_lock(${AdvisoryLock.mailCounts})`);
    const [row] = await tx.query<{ sent: number; strangerCodes: number }>(sql`
      select coalesce(sum(mails), 0)::int as sent, coalesce(sum(stranger_codes), 0)::int as stranger_codes
      from mail_counts where minute > ${oldestOf(now)}`);
    const { sent = 0, strangerCodes = 0 } = row ?? {};
    if (sent >= partOf(perHour, shares[use])) return false;
    if (use === 'strangerCode' && strangerCodes >= partOf(perHour, shareOfStrangers)) return false;
    const ofStranger = use === 'strangerCode' ? 1 : 0;
    await commit(sql`
      insert into mail_counts as c (minute, mails, stranger_codes) values (${minuteOf(now)}, 1, ${ofStranger})
      on conflict (minute) do update
      set mails = c.mails + 1, stranger_codes = c.stranger_codes + excluded.stranger_codes`);
    return true;
  });

/** Takes back the count of a mail that was not sent. */
export async function uncountMail(db: Database, use: MailUse, countedAt: Date): Promise<void> {
  const ofStranger = use === 'strangerCode' ? 1 : 0;
  await db.execute(sql`
    update mail_counts set mails = mails - 1, stranger_codes = greatest(stranger_codes - ${ofStranger}, 0)
    where minute = ${minuteOf(countedAt)} and mails > 0`);
}

export async function deleteExpiredMailCounts(db: Database, now: Date): Promise<void> {
  await db.execute(sql`delete from mail_counts where minute <= ${oldestOf(now)}`);
}

/** A minute counts until an hour after its end, because its mails may have been sent then. */
const oldestOf = (now: Date): Date => new Date(now.getTime() - hourMs - minuteMs);

const minuteOf = (at: Date): Date => new Date(at.getTime() - (at.getTime() % minuteMs));

/**
 * Daily quotas: how many events, items and follows a person may create, how many guests add, and how many events import, in a day of UTC, over all servers. The quota of messages
 * is counted with the messages of a minute (modules/messages/message-limit.ts).
 */
import { dayMs, secondsToNextUtcDay, utcDay } from '#base';
import { type Database, sql, type Transaction } from '#pg';
import type { Config, QuotaKind } from '../config/config.ts';
import { Problem } from '../lib/errors.ts';

/** Quotas that hold on every server, also while the others are off. */
const fixedQuotas = { guests: 2_000, imports: 1_000 } as const;

type CountedKind = Exclude<QuotaKind, 'messages'> | keyof typeof fixedQuotas;
type QuotaServices = { config: Pick<Config, 'dailyQuotas'>; clock: () => Date };

const actions: Record<QuotaKind | CountedKind, (max: number) => string> = {
  events: (max) => `create ${max} events`,
  items: (max) => `add ${max} items`,
  follows: (max) => `follow ${max} people`,
  messages: (max) => `send ${max} messages`,
  guests: (max) => `add ${max} guests`,
  imports: (max) => `import ${max} events`,
};

/**
 * Counts creations of the person, in the transaction that creates, which must have locked the person's account.
 * If not all of them fit into the quota, none is counted.
 *
 * Correct under concurrency on any number of servers: `on conflict` locks the row before it evaluates the
 * condition, and the transaction holds the lock until it commits. Each transaction therefore sees the counts
 * of all transactions before it. A transaction that is rolled back counts nothing.
 *
 * The day of a row never moves back, so a server whose clock is behind at midnight does not start the count
 * again.
 * @throws Problem `quota_exceeded`
 */
export async function countTowardsQuota(
  tx: Transaction,
  { config, clock }: QuotaServices,
  userId: string,
  kind: CountedKind,
  added = 1,
): Promise<void> {
  const max = { ...config.dailyQuotas, ...fixedQuotas }[kind];
  if (max === undefined || added === 0) return;
  const now = clock();
  const counting = sql`
    insert into daily_counts as c (user_id, kind, day, used) values (${userId}, ${kind}, ${utcDay(now)}, ${added})
    on conflict (user_id, kind) do update set day = greatest(c.day, excluded.day),
      used = case when c.day < excluded.day then 0 else c.used end + excluded.used
    where c.day < excluded.day or c.used + excluded.used <= ${max}`;
  if (added <= max && (await tx.execute(counting)) > 0) return;
  throw quotaExceeded(kind, max, now);
}

/** The refusal of a creation above the quota. */
export const quotaExceeded = (kind: QuotaKind | CountedKind, max: number, now: Date): Problem =>
  new Problem('quota_exceeded', {
    detail: `A person may ${actions[kind](max)} a day (UTC). \`Retry-After\` has the seconds until the next day.`,
    retryAfter: secondsToNextUtcDay(now),
  });

/** Deletes the counts of past days, except of the last one: the clocks of other servers may be behind. */
export async function deleteExpiredDailyCounts(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from daily_counts where day < ${utcDay(new Date(now.getTime() - dayMs))}`);
}

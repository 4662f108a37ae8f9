/** How many comments a person may write, over all servers. Comments that are deleted count too. */
import { minuteMs, secondsToNextUtcDay, utcDay } from '#base';
import { one, sql, type Transaction } from '#pg';
import { Problem } from '../../lib/errors.ts';

const perMinute = 10;
const perDay = (person: { hasAccount: boolean }): number => (person.hasAccount ? 200 : 50);

type Limits = { since: Date; isMinuteFull: boolean };

/**
 * Counts a comment, in the transaction that writes it. The statement locks the row of the person before it compares, so of two
 * servers, the second sees what the first has counted. The minute begins with the first comment, and the day is that of UTC.
 * @throws Problem `too_many_requests`, `quota_exceeded`
 */
export async function countComment(
  tx: Transaction,
  person: { id: string; hasAccount: boolean },
  now: Date,
): Promise<void> {
  const isNewMinute = sql`l.since <= excluded.since - interval '1 minute'`;
  const counted = await tx.execute(sql`
    insert into comment_limits as l (user_id, since, sent, day, sent_on_day)
    values (${person.id}, ${now}, 1, ${utcDay(now)}, 1)
    on conflict (user_id) do update set
      since = case when ${isNewMinute} then excluded.since else l.since end,
      sent = case when ${isNewMinute} then 0 else l.sent end + 1,
      day = greatest(l.day, excluded.day),
      sent_on_day = case when l.day < excluded.day then 0 else l.sent_on_day end + 1
    where (${isNewMinute} or l.sent < ${perMinute}) and (l.day < excluded.day or l.sent_on_day < ${perDay(person)})`);
  if (counted > 0) return;
  const { since, isMinuteFull } = one(
    await tx.query<Limits>(sql`
      select since, sent >= ${perMinute} as is_minute_full from comment_limits where user_id = ${person.id}`),
  );
  const waitMs = since.getTime() + minuteMs - now.getTime();
  throw isMinuteFull && waitMs > 0
    ? new Problem('too_many_requests', { retryAfter: Math.ceil(waitMs / 1000) })
    : new Problem('quota_exceeded', {
        detail: `A person may write ${perDay(person)} comments a day (UTC). \`Retry-After\` has the seconds until the next day.`,
        retryAfter: secondsToNextUtcDay(now),
      });
}

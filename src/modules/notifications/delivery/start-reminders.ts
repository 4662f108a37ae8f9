/** Finds the events that begin within a day, and starts the reminders of their guests. */
import { dayMs } from '#base';
import {
  type Database,
  insertRows,
  lockEach,
  type Statement,
  skipLockedUnless,
  sql,
  type Transaction,
  transaction,
} from '#pg';
import { insertFanOuts } from '../../../outbox/causes.ts';
import { isCurrent } from './fan-out.ts';

/** Further events follow with the next run. */
const eventsPerRun = 1_000;

/**
 * Starts the reminders of the events that begin within 24 hours. `event_reminders` stores the start of which the
 * guests are reminded: of two servers, the second finds the row, so each event is reminded of once. An event
 * that is postponed by a day or more is reminded of again.
 */
export const startReminders = (db: Database, now: Date): Promise<void> =>
  transaction(db, async (tx) => {
    const due = await listDueEvents(tx, now);
    const locked = await lockEach(due, String, (id) =>
      tx.query<{ startAt: Date }>(sql`
        select e.start_at from events e where e.id = ${id} and ${isDue(now)}
        for key share ${skipLockedUnless(false)}`),
    );
    const events = [...locked].flatMap(([eventId, [event]]) => (event ? [{ eventId, ...event }] : []));
    if (events.length === 0) return;
    const marked = await tx.query<{ eventId: string }>(sql`
      ${insertRows('event_reminders as r', events, { eventId: 'uuid', startAt: 'timestamptz' })} order by 1
      on conflict (event_id) do update set start_at = excluded.start_at
        where r.start_at - excluded.start_at <= '-24 hours' or r.start_at - excluded.start_at >= '24 hours'
      returning event_id`);
    if (marked.length === 0) return;
    const eventIds = marked.map(({ eventId }) => eventId);
    await tx.execute(insertFanOuts('reminder', eventIds));
  });

/** SQL condition: the guests of `events e` may be reminded of it now. */
const isDue = (now: Date): Statement => sql`
  ${isCurrent('reminder', now)} and e.start_at <= ${new Date(now.getTime() + dayMs)}`;

async function listDueEvents(tx: Transaction, now: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    select e.id from events e
    where ${isDue(now)} and not exists (
        select 1 from event_reminders r
        where r.event_id = e.id and r.start_at > e.start_at - interval '24 hours'
          and r.start_at < e.start_at + interval '24 hours')
    order by e.id limit ${eventsPerRun}`);
  return rows.map(({ id }) => id);
}

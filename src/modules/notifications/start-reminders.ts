/** Finds the events that begin within a day, and starts the reminders of their guests. */
import type { Database } from '../../db/client.ts';
import { skipLockedUnless } from '../../db/locks.ts';
import { sql } from '../../db/sql.ts';
import { dayMs } from '../../lib/time.ts';
import { insertFanOuts } from '../../outbox/fan-outs.ts';

/** Further events follow with the next run. */
const eventsPerRun = 1_000;

/**
 * Starts the reminders of the events that begin within 24 hours. `event_reminders` stores the start of which the
 * guests are reminded: of two servers, the second finds the row, so each event is reminded of once. An event
 * that is postponed by a day or more is reminded of again.
 */
export async function startReminders(db: Database, now: Date): Promise<void> {
  const until = new Date(now.getTime() + dayMs);
  await db.execute(sql`
    with due as materialized (
      select e.id, e.start_at from events e
      where e.status = 'scheduled' and not e.hidden and e.visibility <> 'private'
        and e.start_at > ${now} and e.start_at <= ${until}
        and not exists (
          select 1 from event_reminders r
          where r.event_id = e.id and r.start_at > e.start_at - interval '24 hours'
            and r.start_at < e.start_at + interval '24 hours')
      order by e.id limit ${eventsPerRun} for key share of e ${skipLockedUnless(false)}
    ), marked as (
      insert into event_reminders as r (event_id, start_at) select id, start_at from due order by id
      on conflict (event_id) do update set start_at = excluded.start_at where r.start_at <> excluded.start_at
      returning event_id
    )
    ${insertFanOuts('reminder', sql`select event_id from marked`)}`);
}

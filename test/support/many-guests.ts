/** An event with many guests, inserted without the API. */
import type { SqlTag } from './sql-tag.ts';

/** Inserts accounts without phones that go to the event. */
export async function insertGuests(sql: SqlTag, eventId: string, count: number): Promise<void> {
  await sql`
    with people as (
      insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
      select gen_random_uuid(), '', 'Guest', '', '', '', false, 'user', ' guest', now() from generate_series(1, ${count})
      returning id
    ), counters as (
      insert into user_counters (user_id, followers_count, following_count, events_count) select id, 0, 0, 0 from people
    )
    insert into rsvps (event_id, user_id, status, created_at) select ${eventId}, id, 'going', now() from people`;
}

/** How many people the event's notifications have, their counts together, and the fan-outs that are under way. */
export async function countNotified(sql: SqlTag, eventId: string) {
  const [row] = await sql<{ people: number; sum: number; pending: number }[]>`
    with pending as materialized (
      select count(*)::int as pending from notification_fan_outs where event_id = ${eventId}
    ), counted as materialized (
      select user_id, count from notifications where subject_id = ${eventId} and kind in ('eventChanged', 'eventCancelled')
    )
    select count(distinct user_id)::int as people, coalesce(sum(count), 0)::int as sum,
      (select pending from pending) as pending
    from counted`;
  return row ?? { people: 0, sum: 0, pending: 0 };
}

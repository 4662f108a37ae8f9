import type { Database } from '../../db/client.ts';
import { sql } from '../../db/sql.ts';
import type { Viewer } from '../../identity/caller.ts';
import { listed } from '../discovery/timeline-queries.ts';
import { type Position, theEnd } from '../events/start-pages.ts';

/** Of more people than these the feed takes the first by id: the same ones on every page. */
export const maxFollowed = 5_000;

/** `people`: at most three; when `isOrganizer`, the first of them organizes the event. */
export type Found = Position & { people: string[]; reasonsCount: number; isOrganizer: boolean };
export type EventQuery = { viewer: Viewer; now: Date; after: Position; limit: number };

export async function countFollowed(db: Database, userId: string): Promise<number> {
  const [row] = await db.query<{ followingCount: number }>(sql`
    select following_count from user_counters where user_id = ${userId}`);
  return row?.followingCount ?? 0;
}

/**
 * `followed`: whom the viewer follows; `hidden`: whom a block stands between. Both are of the viewer's own key, and so
 * small that they can be carried to where events and answers are; nobody is both.
 */
const around = ({ id }: Viewer) => sql`
  followed as materialized (
    select other_id as id, followed_by as follows_back from relations
    where user_id = ${id} and follows
    order by other_id limit ${maxFollowed}
  ), hidden as materialized (
    select other_id as id from relations where user_id = ${id} and (blocks or blocked_by)
  )`;

/** Of `followed f`, those whose answers the viewer may see, by their account `users u`. */
const isOpen = ({ role }: Viewer) => sql`
  u.suspended_at is null and (not u.is_private or f.follows_back or ${role === 'admin'})`;

/** What is shown of `reasons (id, start_at, person, is_organizer)`: each event once. */
const eachOnce = (limit: number) => sql`
  select id, start_at, count(*)::int as reasons_count, bool_or(is_organizer) as is_organizer,
    (array_agg(person order by is_organizer desc, person))[1:3] as people
  from reasons
  group by start_at, id
  order by start_at, id
  limit ${limit}`;

/**
 * Listed events that have not ended, by start and id, by way of the people.
 *
 * A declared fan-out. It costs what these people organize and answered, whatever else there is: for each of them two
 * descents of an index (events_by_organizer, rsvps_by_user), and for each answer of `going` one look at its event.
 */
export async function listByPeople(
  db: Database,
  { viewer, now, after, limit }: EventQuery,
): Promise<Found[]> {
  const isShown = sql`
    ${listed()} and e.end_at > ${now} and (e.start_at, e.id) > (${after.startAt}::timestamptz, ${after.id}::uuid)`;
  return await db.query<Found>(sql`
    with ${around(viewer)}, guests as materialized (
      select f.id from followed f join users u on u.id = f.id where ${isOpen(viewer)}
    ), reasons as (
      select e.id, e.start_at, e.organizer_id as person, true as is_organizer
      from followed f join events e on e.organizer_id = f.id
      where ${isShown}
      union all
      select e.id, e.start_at, r.user_id, false
      from guests g
      join rsvps r on r.user_id = g.id and r.status = 'going'
      join events e on e.id = r.event_id
      where r.user_id <> e.organizer_id and e.organizer_id not in (select id from hidden) and ${isShown}
    )
    ${eachOnce(limit)}`);
}

/**
 * The same by way of time: of the next `most` listed events, whoever they are of, those that these people have to do
 * with.
 *
 * A declared fan-out. It costs `most` entries of events_by_start (and of events_by_span what is going on at this
 * moment), the answers to those events, and the accounts of those who answered and are followed.
 * @returns `seenTo`: the last of those events, which the next look goes on from; null when there are no more
 */
export async function listByTime(
  db: Database,
  { viewer, now, after, limit }: EventQuery,
  most: number,
): Promise<{ found: Found[]; seenTo: Position | null }> {
  // Two selects, since each is one index: what is going on at this moment, as a whole, and what begins later, in order.
  const isUnderWay = after.startAt <= now;
  const later = isUnderWay ? { startAt: now, id: theEnd.id } : after;
  const rows = await db.query<Found & { people: string[] | null }>(sql`
    with ${around(viewer)}, under_way as materialized (
      select e.id, e.start_at, e.organizer_id from events e
      where ${isUnderWay}::boolean and ${listed()} and tstzrange(e.start_at, e.end_at) @> ${now}::timestamptz
    ), next as materialized (
      select * from under_way where (start_at, id) > (${after.startAt}::timestamptz, ${after.id}::uuid)
      union all
      (select e.id, e.start_at, e.organizer_id from events e
        where ${listed()} and (e.start_at, e.id) > (${later.startAt}::timestamptz, ${later.id}::uuid)
        order by e.start_at, e.id limit ${most})
      order by start_at, id limit ${most}
    ), going as materialized (
      select n.id, n.start_at, r.user_id
      from next n join rsvps r on r.event_id = n.id and r.status = 'going'
      where r.user_id <> n.organizer_id and n.organizer_id not in (select id from hidden)
    ), answers as materialized (
      select g.id, g.start_at, g.user_id, f.follows_back from going g join followed f on f.id = g.user_id
    ), reasons as (
      select n.id, n.start_at, n.organizer_id as person, true as is_organizer
      from next n where n.organizer_id in (select id from followed)
      union all
      select f.id, f.start_at, f.user_id, false
      from answers f join users u on u.id = f.user_id
      where ${isOpen(viewer)}
    )
    (${eachOnce(limit)})
    union all
    (select id, start_at, (select count(*) from next)::int, false, null from next
      order by start_at desc, id desc limit 1)`);
  const found = rows.filter(({ people }) => people !== null);
  const end = rows.find(({ people }) => people === null);
  return { found, seenTo: end?.reasonsCount === most ? { startAt: end.startAt, id: end.id } : null };
}

import { type Database, queryEach, type Statement, sql } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import type { PeopleEvent } from '../discovery/memory/people-events.ts';
import { listedCondition } from '../events/policy.ts';
import { lastPosition, type Position } from '../events/start-pages.ts';

/** If the viewer follows more people, the feed uses the first of them by id, so that all pages use the same people. */
export const maxFollowed = 5_000;

/** An event of the feed. */
export type FeedElement = PeopleEvent;
/** `after`: the position in the list after which the page begins. `collapse`: shows of each series the first event alone. */
export type FeedQuery = {
  viewer: Viewer;
  now: Date;
  after: Position;
  limit: number;
  collapse: boolean;
};
/** An element that the database found. */
export type FoundElement = FeedElement & { seriesId: string | null };

export async function countFollowed(db: Database, userId: string): Promise<number> {
  const [row] = await db.query<{ followingCount: number }>(sql`
    select following_count from user_counters where user_id = ${userId}`);
  return row?.followingCount ?? 0;
}

/**
 * Common table expressions. `followed`: the people whom the viewer follows; `hidden`: the people between whom and the
 * viewer there is a block. No person is in both. Both read only relations of the viewer.
 */
const relationsOf = ({ id }: Viewer) => sql`
  followed as materialized (
    select other_id as id, followed_by as follows_back from relations
    where user_id = ${id} and follows
    order by other_id limit ${maxFollowed}
  ), hidden as materialized (
    select other_id as id from relations where user_id = ${id} and (blocks or blocked_by)
  )`;

/**
 * Whether the viewer may see the RSVPs of `followed f`, whose account is `users u`, except hidden ones.
 * @param isAdmin SQL expression: whether the viewer is an admin
 */
const mayShowRsvps = (isAdmin: Statement) => sql`
  u.suspended_at is null and (not u.is_private or f.follows_back or ${isAdmin})`;

/** Whether the feed may show `rsvps r`. The index rsvps_of_user has these columns. */
const isShownRsvp = sql`r.status = 'going' and r.is_hidden is not true`;

/** Groups `reasons (id, start_at, series_id, person, is_organizer)` by event. */
const groupByEvent = sql`
  select id, start_at, series_id, count(*)::int as reasons_count, bool_or(is_organizer) as is_organizer,
    (array_agg(person order by is_organizer desc, person))[1:3] as people
  from reasons
  group by start_at, id, series_id`;

/**
 * Lists the elements of a page from the events that the followed people organize or go to.
 *
 * The cost depends on these people only: two index descents for each of them (events_by_organizer, rsvps_of_user), and
 * one read of an event for each RSVP of `going`.
 */
export async function listByPeople(
  db: Database,
  { viewer, now, after, limit, collapse }: FeedQuery,
): Promise<FoundElement[]> {
  const position = sql`(${after.startAt}::timestamptz, ${after.id}::uuid)`;
  // The first event of a series may be on a page before.
  const isShown = sql`
    ${listedCondition()} and e.end_at > ${now}
    and (${collapse} and e.series_id is not null or (e.start_at, e.id) > ${position})`;
  return await db.query<FoundElement>(sql`
    with ${relationsOf(viewer)}, guests as materialized (
      select f.id from followed f join users u on u.id = f.id where ${mayShowRsvps(sql`${viewer.role === 'admin'}`)}
    ), reasons as (
      select e.id, e.start_at, e.series_id, e.organizer_id as person, true as is_organizer
      from followed f join events e on e.organizer_id = f.id
      where ${isShown}
      union all
      select e.id, e.start_at, e.series_id, r.user_id, false
      from guests g
      join rsvps r on r.user_id = g.id and ${isShownRsvp}
      join events e on e.id = r.event_id
      where r.user_id <> e.organizer_id and e.organizer_id not in (select id from hidden) and ${isShown}
    ), elements as (${groupByEvent}), shown as (${collapse ? firstOfSeries : sql`select * from elements`})
    select * from shown where (start_at, id) > ${position} order by start_at, id limit ${limit}`);
}

/** Of each series the first of `elements`, and those without a series. */
const firstOfSeries = sql`
  select * from elements where series_id is null
  union all (
    select distinct on (series_id) * from elements where series_id is not null
    order by series_id, start_at, id
  )`;

/**
 * Lists the elements of a page among the next `batchSize` listed events.
 *
 * The cost is `batchSize` entries of events_by_start and the running events of events_by_span, the RSVPs of these
 * events, and the accounts of the followed people among them.
 * @returns `last`: the position of the last event that was read; null if there are no further events
 */
export async function listByTime(
  db: Database,
  { viewer, now, after, limit }: Omit<FeedQuery, 'collapse'>,
  batchSize: number,
): Promise<{ found: FoundElement[]; last: Position | null }> {
  // Two selects, because each uses its own index: all running events, and then the events that start later, in order.
  const includesRunning = after.startAt <= now;
  const later = includesRunning ? { startAt: now, id: lastPosition.id } : after;
  const rows = await db.query<FoundElement & { people: string[] | null }>(sql`
    with ${relationsOf(viewer)}, running as materialized (
      select e.id, e.start_at, e.series_id, e.organizer_id from events e
      where ${includesRunning}::boolean and ${listedCondition()} and tstzrange(e.start_at, e.end_at) @> ${now}::timestamptz
    ), next as materialized (
      select * from running where (start_at, id) > (${after.startAt}::timestamptz, ${after.id}::uuid)
      union all
      (select e.id, e.start_at, e.series_id, e.organizer_id from events e
        where ${listedCondition()} and (e.start_at, e.id) > (${later.startAt}::timestamptz, ${later.id}::uuid)
        order by e.start_at, e.id limit ${batchSize})
      order by start_at, id limit ${batchSize}
    ), going as materialized (
      select n.id, n.start_at, n.series_id, r.user_id
      from next n join rsvps r on r.event_id = n.id and ${isShownRsvp}
      where r.user_id <> n.organizer_id and n.organizer_id not in (select id from hidden)
    ), followed_guests as materialized (
      select g.id, g.start_at, g.series_id, g.user_id, f.follows_back from going g join followed f on f.id = g.user_id
    ), reasons as (
      select n.id, n.start_at, n.series_id, n.organizer_id as person, true as is_organizer
      from next n where n.organizer_id in (select id from followed)
      union all
      select f.id, f.start_at, f.series_id, f.user_id, false
      from followed_guests f join users u on u.id = f.user_id
      where ${mayShowRsvps(sql`${viewer.role === 'admin'}`)}
    )
    (${groupByEvent} order by start_at, id limit ${limit})
    union all
    (select id, start_at, null, (select count(*) from next)::int, false, null from next
      order by start_at desc, id desc limit 1)`);
  const found = rows.filter(({ people }) => people !== null);
  const end = rows.find(({ people }) => people === null);
  return { found, last: end?.reasonsCount === batchSize ? { startAt: end.startAt, id: end.id } : null };
}

/** What the feed of a viewer is made of. A list that is longer than its limit is cut one element above the limit. */
export type Surroundings = {
  /** Ids of the followed people, ascending. */
  followed: string[];
  /** Ids of the people between whom and the viewer there is a block. */
  hidden: string[];
  /** RSVPs of `going` of the followed people that the viewer may see, as in `PeopleQuery`; null for none. */
  rsvps: Uint8Array | null;
};

type Limits = { followed: number; hidden: number; rsvps: number };

/**
 * Reads the surroundings of several viewers, in their order.
 *
 * The cost is one entry of an index for each followed or hidden person, and one account, one index descent and all RSVPs
 * of each followed person, up to the limits. The RSVPs are in one binary value, because reading a row for each of them
 * would take the server longer than it takes the database to find them.
 */
export async function listSurroundings(
  db: Database,
  viewers: Viewer[],
  limits: Limits,
): Promise<Surroundings[]> {
  const rows = viewers.map(({ id, role }) => ({ id, isAdmin: role === 'admin' }));
  return await queryEach<Surroundings, (typeof rows)[number]>(
    db,
    rows,
    { id: 'uuid', isAdmin: 'boolean' },
    ({ id, isAdmin }) => surroundingsOf(id, isAdmin, limits),
  );
}

/** @param viewerId SQL expression @param isAdmin SQL expression: whether the viewer is an admin */
const surroundingsOf = (viewerId: Statement, isAdmin: Statement, limits: Limits): Statement => sql`
  with followed as materialized (
    select row_number() over (order by other_id) - 1 as place, count(*) over () as total, other_id as id,
      followed_by as follows_back
    from (
      select other_id, followed_by from relations
      where user_id = ${viewerId} and follows order by other_id limit ${limits.followed + 1}
    ) first
  ), hidden as materialized (
    select other_id from relations
    where user_id = ${viewerId} and (blocks or blocked_by) limit ${limits.hidden + 1}
  ), shown as materialized (
    select f.place, f.id from followed f join users u on u.id = f.id
    where f.total <= ${limits.followed} and ${mayShowRsvps(isAdmin)}
  ), going as materialized (
    select s.place, r.event_id from shown s join rsvps r on r.user_id = s.id and ${isShownRsvp}
    limit ${limits.rsvps + 1}
  )
  select array(select id from followed order by id) as followed, array(select other_id from hidden) as hidden,
    (select string_agg(int2send(place::int2) || uuid_send(event_id), '') from going) as rsvps`;

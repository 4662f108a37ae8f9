/** RSVPs, all that wait in one transaction: each costs a share of its round trips, its commit and the counter's row. */
import { noteChange } from '../changes.ts';
import { alone } from '../db/coalesce.ts';
import type { Sql, Tx } from '../db/connect.ts';
import { lockCallers, orPassOver, transaction } from '../db/transaction.ts';
import { Problem } from '../errors.ts';
import type { Viewer } from '../http/viewer.ts';
import { maySee } from './access.ts';
import type { Rsvp } from './queries.ts';
import type { EventRow } from './views.ts';

/** A status of null takes the answer back. */
export type Ask = { eventId: string; viewer: Viewer; status: Rsvp | null };
export type Count = { rsvpCount: number };

type EventState = Pick<EventRow, 'id' | 'organizerId' | 'visibility'> & { isHeld: boolean };
type Held = { sessions: Set<string>; events: Map<string, EventState> };
/** By how much an event's counters change. */
type Change = { rsvps: number; going: number };

/** An answer is one person's on one event; a batch has each at most once. */
export const keyOf = ({ eventId, viewer }: Ask): string => `${eventId} ${viewer.id}`;

/**
 * Sets answers or takes them back, and moves the counters by what really changed.
 *
 * Right under any concurrency: callers and events are share-locked first and read in a later statement, so the
 * deletion, hiding and cancelling of an event, and the end of a session, are before or after all of it. The counters'
 * rows come last and are held for the shortest time.
 * @param isAlone waits for callers and events that others hold; in a batch their asks come back as `alone`
 * @returns for each ask the event's number of RSVPs after it, as if they had come one after the other
 */
export function answerEvents(
  sql: Sql,
  asks: Ask[],
  now: Date,
  isAlone: boolean,
): Promise<(Count | Problem | typeof alone)[]> {
  return transaction(sql, async (tx, commit) => {
    const viewers = asks.map(({ viewer }) => viewer);
    const ids = [...new Set(asks.map(({ eventId }) => eventId))];
    const [sessions, events] = await Promise.all([
      lockCallers(tx, viewers, isAlone),
      lockEvents(tx, ids, isAlone),
    ]);
    const refusals = asks.map((ask) => refusalOf(ask, { sessions, events }, isAlone));
    const accepted = asks.filter((_, i) => refusals[i] === null);
    const changes = await writeAnswers(tx, accepted, now);
    const moves = totals(accepted, changes);
    const [moved] =
      moves.size > 0
        ? await commit(moveCounters(tx, moves), noteChange(tx, { records: [...moves.keys()] }))
        : [];
    const counts = new Map(moved?.map(({ eventId, rsvpCount }) => [eventId as string, rsvpCount as number]));
    return asks.map((ask, i) => {
      const refusal = refusals[i];
      if (refusal) return refusal;
      const change = changes.get(keyOf(ask));
      const event = events.get(ask.eventId);
      if (!change && ask.status !== null) return new Problem('event_cancelled');
      if (!change && !(event && maySee(event, ask.viewer))) return new Problem('event_not_found');
      const rsvpCount = (counts.get(ask.eventId) ?? 0) + (change?.rsvps ?? 0);
      counts.set(ask.eventId, rsvpCount);
      return { rsvpCount };
    });
  });
}

/** Both statements are sent at once and run in this order: what the second reads of a held event stays as it is. */
async function lockEvents(tx: Tx, ids: string[], isAlone: boolean): Promise<Map<string, EventState>> {
  const [held, found] = await Promise.all([
    tx<{ id: string }[]>`
      select id from events where id = any(${ids}::uuid[]) order by id for key share ${orPassOver(tx, isAlone)}`,
    tx<Omit<EventState, 'isHeld'>[]>`
      select id, organizer_id, visibility from events where id = any(${ids}::uuid[])`,
  ]);
  const heldIds = new Set(held.map(({ id }) => id));
  return new Map(found.map((event) => [event.id, { ...event, isHeld: heldIds.has(event.id) }]));
}

/** What can be told before anything is written; an answer that is taken back may be on an event hidden since. */
function refusalOf(ask: Ask, { sessions, events }: Held, isAlone: boolean): Problem | typeof alone | null {
  if (!sessions.has(ask.viewer.sessionId)) return isAlone ? new Problem('token_invalid') : alone;
  const event = events.get(ask.eventId);
  if (!event) return new Problem('event_not_found');
  if (!event.isHeld) return alone;
  return ask.status === null || maySee(event, ask.viewer) ? null : new Problem('event_not_found');
}

/** What each answer changed, by its key; nothing for one that was not there to take back, or is refused. */
async function writeAnswers(tx: Tx, asks: Ask[], now: Date): Promise<Map<string, Change>> {
  const given = asks.filter(({ status }) => status !== null);
  const cleared = asks.filter(({ status }) => status === null);
  const [, set, gone] = await Promise.all([
    cleared.length > 0 && asks.length > 1 && lockAnswers(tx, asks),
    given.length > 0 ? upsertAnswers(tx, given, now) : [],
    cleared.length > 0 ? deleteAnswers(tx, cleared) : [],
  ]);
  const isGoing = (status: Rsvp | null) => Number(status === 'going');
  const key = (row: { eventId: string; userId: string }) => `${row.eventId} ${row.userId}`;
  return new Map<string, Change>([
    ...set.map((row): [string, Change] => [
      key(row),
      { rsvps: row.previous === null ? 1 : 0, going: isGoing(row.status) - isGoing(row.previous) },
    ]),
    ...gone.map((row): [string, Change] => [key(row), { rsvps: -1, going: -isGoing(row.status) }]),
  ]);
}

const columns = (asks: Ask[]) => ({
  events: asks.map(({ eventId }) => eventId),
  users: asks.map(({ viewer }) => viewer.id),
});

/** In order, as a delete does not do it; then two batches on two servers cannot wait for each other's half. */
async function lockAnswers(tx: Tx, asks: Ask[]): Promise<void> {
  const { events, users } = columns(asks);
  await tx`
    select 1 from unnest(${events}::uuid[], ${users}::uuid[]) a (event_id, user_id)
    join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id
    order by r.event_id, r.user_id
    for update of r`;
}

/**
 * Waits for other changes of the same answers and reads each old status from the very row that it overwrites
 * (`previous`), not from the statement's snapshot, so one person racing with themself cannot make the count drift.
 * On a cancelled event the same answer again is no new one: it may be the second try of a caller who never heard of
 * the first.
 */
async function upsertAnswers(tx: Tx, asks: Ask[], now: Date) {
  const { events, users } = columns(asks);
  return await tx<{ eventId: string; userId: string; status: Rsvp; previous: Rsvp | null }[]>`
    insert into rsvps (event_id, user_id, status, previous, created_at)
    select a.event_id, a.user_id, a.status, null, ${now}
    from unnest(${events}::uuid[], ${users}::uuid[], ${asks.map(({ status }) => status)}::text[])
      a (event_id, user_id, status)
    join events e on e.id = a.event_id
    where e.status = 'scheduled' or exists (
      select 1 from rsvps r where r.event_id = a.event_id and r.user_id = a.user_id and r.status = a.status)
    order by a.event_id, a.user_id
    on conflict (event_id, user_id) do update set status = excluded.status, previous = rsvps.status
    returning event_id, user_id, status, previous`;
}

/** Of two at once the second waits for the row, finds it gone and moves nothing. */
async function deleteAnswers(tx: Tx, asks: Ask[]) {
  const { events, users } = columns(asks);
  return await tx<{ eventId: string; userId: string; status: Rsvp }[]>`
    delete from rsvps r using unnest(${events}::uuid[], ${users}::uuid[]) a (event_id, user_id)
    where r.event_id = a.event_id and r.user_id = a.user_id
    returning r.event_id, r.user_id, r.status`;
}

/** The sum of the changes of each event, in which there may be none. */
function totals(asks: Ask[], changes: Map<string, Change>): Map<string, Change> {
  const sums = new Map<string, Change>();
  for (const ask of asks) {
    const sum = sums.get(ask.eventId) ?? { rsvps: 0, going: 0 };
    const change = changes.get(keyOf(ask)) ?? { rsvps: 0, going: 0 };
    sums.set(ask.eventId, { rsvps: sum.rsvps + change.rsvps, going: sum.going + change.going });
  }
  return sums;
}

/**
 * Gives each event's number of RSVPs before the change. Not in one statement with what is counted: that one may have
 * begun before what it undoes, and PostgreSQL holds the checks of the counters against that old row too. Here it sees
 * the new row alone, for the new numbers are made of what was just locked.
 */
function moveCounters(tx: Tx, changes: Map<string, Change>) {
  const sums = [...changes.values()];
  return tx`
    with held as (
      select event_id, rsvp_count, going_count from event_counters
      where event_id = any(${[...changes.keys()]}::uuid[]) order by event_id for update
    ), moved as (
      update event_counters c
      set rsvp_count = held.rsvp_count + m.rsvps, going_count = held.going_count + m.going
      from held join unnest(${[...changes.keys()]}::uuid[], ${sums.map(({ rsvps }) => rsvps)}::int[],
        ${sums.map(({ going }) => going)}::int[]) m (event_id, rsvps, going) on m.event_id = held.event_id
      where c.event_id = held.event_id and (m.rsvps, m.going) <> (0, 0)
    )
    select event_id, rsvp_count from held`;
}

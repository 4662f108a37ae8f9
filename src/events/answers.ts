/** RSVPs, all that wait in one transaction: each costs a share of its round trips, its commit and the counter's row. */
import { noteChange } from '../changes.ts';
import { alone } from '../db/coalesce.ts';
import type { Sql, Tx } from '../db/connect.ts';
import { type Commit, lockCallers, orPassOver, transaction } from '../db/transaction.ts';
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
    const answered =
      accepted.length > 0 ? await writeAnswers(tx, commit, accepted, now) : new Map<string, Answered>();
    return asks.map((ask, i): Count | Problem | typeof alone => {
      const refusal = refusals[i];
      if (refusal) return refusal;
      const { change, counter } = answered.get(keyOf(ask)) ?? { change: null, counter: { rsvps: 0 } };
      const event = events.get(ask.eventId);
      if (change === null && ask.status !== null) return new Problem('event_cancelled');
      if (change === null && !(event && maySee(event, ask.viewer))) return new Problem('event_not_found');
      counter.rsvps += change ?? 0;
      return { rsvpCount: counter.rsvps };
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

/** By how much an ask changed its event's number of RSVPs, if it did, and that number, which all of an event share. */
type Answered = { change: number | null; counter: { rsvps: number } };

/** Writes and ends the transaction. Gives the outcomes by key; each counter as it was before. */
async function writeAnswers(tx: Tx, commit: Commit, asks: Ask[], now: Date): Promise<Map<string, Answered>> {
  const records = [...new Set(asks.map(({ eventId }) => eventId))];
  const isMixed = asks.length > 1 && asks.some(({ status }) => status === null);
  const results = await commit(
    ...(isMixed ? [lockAnswers(tx, asks)] : []),
    setAnswers(tx, asks, now),
    noteChange(tx, { records }),
  );
  const rows = results.at(-2) as unknown as AnswerRow[];
  const counters = new Map(rows.map(({ eventId, rsvpCount }) => [eventId, { rsvps: rsvpCount ?? 0 }]));
  return new Map(
    rows.map(({ eventId, userId, change }) => [
      `${eventId} ${userId}`,
      { change, counter: counters.get(eventId) ?? { rsvps: 0 } },
    ]),
  );
}

const columns = (asks: Ask[]) => ({
  events: asks.map(({ eventId }) => eventId),
  users: asks.map(({ viewer }) => viewer.id),
});

/** In order, as a delete does not do it; then two batches on two servers cannot wait for each other's half. */
function lockAnswers(tx: Tx, asks: Ask[]) {
  const { events, users } = columns(asks);
  return tx`
    select 1 from unnest(${events}::uuid[], ${users}::uuid[]) a (event_id, user_id)
    join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id
    order by r.event_id, r.user_id
    for update of r`;
}

type AnswerRow = { eventId: string; userId: string; change: number | null; rsvpCount: number | null };

/**
 * Sets the answers, takes others back, and moves the counters by what really changed.
 *
 * An upsert waits for other changes of the same answer and reads the old status from the very row that it overwrites
 * (`previous`), not from the statement's snapshot, so one person racing with themself cannot make the count drift; of
 * two who take an answer back at once the second finds it gone and moves nothing. The counters come last. They are
 * locked first and moved by new numbers made of what was locked: PostgreSQL holds the checks of a row against the
 * version that the statement began with, too.
 *
 * On a cancelled event the same answer again is no new one: it may be the second try of a caller who never heard of
 * the first.
 */
function setAnswers(tx: Tx, asks: Ask[], now: Date) {
  const { events, users } = columns(asks);
  return tx`
    with asked as materialized (
      select * from unnest(${events}::uuid[], ${users}::uuid[], ${asks.map(({ status }) => status)}::text[])
        a (event_id, user_id, status)
    ), given as (
      insert into rsvps (event_id, user_id, status, previous, created_at)
      select a.event_id, a.user_id, a.status, null, ${now}
      from asked a join events e on e.id = a.event_id
      where a.status is not null and (e.status = 'scheduled' or exists (
        select 1 from rsvps r where r.event_id = a.event_id and r.user_id = a.user_id and r.status = a.status))
      order by a.event_id, a.user_id
      on conflict (event_id, user_id) do update set status = excluded.status, previous = rsvps.status
      returning event_id, user_id, (previous is null)::int as rsvps,
        (status = 'going')::int - (previous is not distinct from 'going')::int as going
    ), taken_back as (
      delete from rsvps r using asked a
      where a.status is null and r.event_id = a.event_id and r.user_id = a.user_id
      returning r.event_id, r.user_id, -1 as rsvps, -(r.status = 'going')::int as going
    ), changed as (
      select * from given union all select * from taken_back
    ), sums as (
      select a.event_id, coalesce(sum(ch.rsvps), 0)::int as rsvps, coalesce(sum(ch.going), 0)::int as going
      from asked a left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
      group by a.event_id
    ), held as (
      select c.event_id, c.rsvp_count, c.going_count, m.rsvps, m.going
      from sums m join event_counters c on c.event_id = m.event_id
      order by c.event_id for update of c
    ), moved as (
      update event_counters c
      set rsvp_count = held.rsvp_count + held.rsvps, going_count = held.going_count + held.going
      from held where c.event_id = held.event_id and (held.rsvps, held.going) <> (0, 0)
    )
    select a.event_id, a.user_id, ch.rsvps as change, held.rsvp_count
    from asked a
    left join changed ch on ch.event_id = a.event_id and ch.user_id = a.user_id
    left join held on held.event_id = a.event_id`;
}

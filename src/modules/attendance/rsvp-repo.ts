/** SQL of RSVPs. Statements without a result are sent with the end of their transaction. */
import { byPosition } from '../../db/query.ts';
import { onNodesOf, type Statement, sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import { moveSummary, type SummaryMove, unnestMoves } from '../../outbox/summaries.ts';
import type { EventRow } from '../events/present.ts';
import type { Rsvp } from '../events/repo.ts';
import { lockEventCounters } from './lock-event-counters.ts';

export type RsvpKey = { eventId: string; userId: string };

/** What decides about RSVPs to an event, and what they change: its counters, and what the organizer has not read. */
export type RsvpEvent = Pick<EventRow, 'organizerId' | 'visibility' | 'hidden' | 'status' | 'rsvpCount'> & {
  eventId: string;
  /** RSVPs that the organizer has not read. */
  unread: number;
};

/** Locks events as `lockEventCounters` does, and reads what decides about RSVPs. @returns the locked events by id */
export const lockRsvpEvents = (
  tx: Transaction,
  eventIds: string[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RsvpEvent>> =>
  lockEventCounters<RsvpEvent>(
    tx,
    eventIds,
    sql`e.organizer_id, e.visibility, e.hidden, e.status, c.rsvp_count, c.unread_rsvps as unread`,
    mayWaitForLocks,
  );

/** The ids of those events that exist. */
export async function listExistingEvents(tx: Transaction, ids: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(sql`select id from events where id = any(${ids}::uuid[])`);
  return new Set(rows.map(({ id }) => id));
}

export type ExistingRsvp = { status: Rsvp; extraGuests: number };

/** Reads existing RSVPs, one for each key in their order; undefined if there is none. */
export async function findRsvps(tx: Transaction, keys: RsvpKey[]): Promise<(ExistingRsvp | undefined)[]> {
  const eventIds = keys.map(({ eventId }) => eventId);
  const rows = await tx.query<ExistingRsvp & { nth: number }>(sql`
    select k.nth::int, r.status, coalesce(r.extra_guests, 0) as extra_guests
    from unnest(${eventIds}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[])
      with ordinality k (event_id, user_id, nth)
    join rsvps r on r.event_id = k.event_id and r.user_id = k.user_id
    where ${onNodesOf(sql`r.event_id`, eventIds)}`);
  return byPosition(rows, keys.length);
}

/** Null for `extraGuests` and `isHidden` keeps the value, which is 0 and false for a new RSVP. */
export type WrittenRsvp = RsvpKey & { status: Rsvp; extraGuests: number | null; isHidden: boolean | null };

/** The transaction must hold a lock on the counters of the events, as for the following statements. */
export const upsertRsvps = (rows: WrittenRsvp[], now: Date): Statement => sql`
  insert into rsvps as r (event_id, user_id, status, extra_guests, is_hidden, created_at)
  select k.*, ${now}::timestamptz
  from unnest(${rows.map(({ eventId }) => eventId)}::uuid[], ${rows.map(({ userId }) => userId)}::uuid[],
    ${rows.map(({ status }) => status)}::text[], ${rows.map(({ extraGuests }) => extraGuests)}::smallint[],
    ${rows.map(({ isHidden }) => isHidden)}::boolean[]) k
  on conflict (event_id, user_id) do update set status = excluded.status,
    extra_guests = coalesce(excluded.extra_guests, r.extra_guests),
    is_hidden = coalesce(excluded.is_hidden, r.is_hidden)`;

export const deleteRsvps = (keys: RsvpKey[]): Statement => {
  const eventIds = keys.map(({ eventId }) => eventId);
  return sql`
    delete from rsvps r
    using unnest(${eventIds}::uuid[], ${keys.map(({ userId }) => userId)}::uuid[]) k (event_id, user_id)
    where r.event_id = k.event_id and r.user_id = k.user_id
      and ${onNodesOf(sql`r.event_id`, eventIds)}`;
};

/** By how much the counters of an event change, and what the organizer has not read. */
export type RsvpCounterMove = {
  eventId: string;
  rsvps: number;
  going: number;
  extraGuests: number;
  summary: SummaryMove;
};

export const moveRsvpCounters = (moves: RsvpCounterMove[]): Statement => {
  const eventIds = moves.map(({ eventId }) => eventId);
  return sql`
    update event_counters c set rsvp_count = c.rsvp_count + m.rsvps, going_count = c.going_count + m.going,
      extra_guests_count = c.extra_guests_count + m.extra_guests, version = c.version + 1,
      ${moveSummary('rsvps', sql`c`, sql`m`)}
    from unnest(${eventIds}::uuid[], ${moves.map(({ rsvps }) => rsvps)}::int[],
      ${moves.map(({ going }) => going)}::int[], ${moves.map(({ extraGuests }) => extraGuests)}::int[],
      ${unnestMoves(moves.map(({ summary }) => summary))})
      m (event_id, rsvps, going, extra_guests, organizer_id, amount, notification_id, person_id, gone)
    where c.event_id = m.event_id and ${onNodesOf(sql`c.event_id`, eventIds)}`;
};

/** SQL of RSVPs. Statements without a result are sent with the end of their transaction. */
import {
  byPosition,
  deleteRows,
  insertRows,
  rowsOf,
  type Statement,
  sql,
  type Transaction,
  updateRows,
} from '#pg';
import {
  type NewSummary,
  type Summary,
  selectSummary,
  summaryTypes,
  writeSummary,
} from '../../outbox/summaries.ts';
import type { EventRow } from '../events/present.ts';
import type { Rsvp } from '../events/repo.ts';
import { lockEventCounters } from './lock-event-counters.ts';

export type RsvpKey = { eventId: string; userId: string };
const rsvpKey = { eventId: 'uuid', userId: 'uuid' } as const;

/** What decides about RSVPs to an event, and what they change: its counters, and what the organizer has not read. */
export type RsvpEvent = Pick<EventRow, 'organizerId' | 'visibility' | 'hidden' | 'status' | 'rsvpCount'> & {
  eventId: string;
} & Summary;

/** Locks events as `lockEventCounters` does, and reads what decides about RSVPs. @returns the locked events by id */
export const lockRsvpEvents = (
  tx: Transaction,
  eventIds: string[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RsvpEvent>> =>
  lockEventCounters<RsvpEvent>(
    tx,
    eventIds,
    sql`e.organizer_id, e.visibility, e.hidden, e.status, c.rsvp_count, ${selectSummary('rsvps', sql`c`)}`,
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
  const rows = await tx.query<ExistingRsvp & { nth: number }>(sql`
    select k.nth::int, r.status, coalesce(r.extra_guests, 0) as extra_guests
    from ${rowsOf('rsvps r', keys, rsvpKey)}`);
  return byPosition(rows, keys.length);
}

/** Null for `extraGuests` and `isHidden` keeps the value, which is 0 and false for a new RSVP. */
export type WrittenRsvp = RsvpKey & { status: Rsvp; extraGuests: number | null; isHidden: boolean | null };

/** The transaction must hold a lock on the counters of the events, as for the following statements. */
export const upsertRsvps = (rows: WrittenRsvp[], now: Date): Statement => sql`
  ${insertRows(
    'rsvps as r',
    rows.map((row) => ({ ...row, createdAt: now })),
    { ...rsvpKey, status: 'text', extraGuests: 'smallint', isHidden: 'boolean', createdAt: 'timestamptz' },
  )}
  on conflict (event_id, user_id) do update set status = excluded.status,
    extra_guests = coalesce(excluded.extra_guests, r.extra_guests),
    is_hidden = coalesce(excluded.is_hidden, r.is_hidden)`;

export const deleteRsvps = (keys: RsvpKey[]): Statement => deleteRows('rsvps r', keys, rsvpKey);

/** By how much the counters of an event change, and what the organizer has not read. */
export type RsvpCounterMove = {
  eventId: string;
  rsvps: number;
  going: number;
  extraGuests: number;
  summary: NewSummary;
};

export const moveRsvpCounters = (moves: RsvpCounterMove[]): Statement =>
  updateRows(
    'event_counters c',
    moves.map(({ summary, ...move }) => ({ ...move, ...summary })),
    { eventId: 'uuid' },
    { rsvps: 'int', going: 'int', extraGuests: 'int', ...summaryTypes },
    sql`rsvp_count = c.rsvp_count + k.rsvps, going_count = c.going_count + k.going,
      extra_guests_count = c.extra_guests_count + k.extra_guests, ${writeSummary('rsvps', sql`c`, sql`k`)}`,
  );

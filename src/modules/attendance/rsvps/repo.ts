/** SQL of RSVPs. Statements without a result are sent with the end of their transaction. */
import {
  byPosition,
  deleteRows,
  insertRows,
  joinedBy,
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
} from '../../../outbox/summaries.ts';
import { type Standing, standingColumns } from '../../events/policy.ts';
import type { EventRow } from '../../events/present.ts';
import type { Rsvp } from '../../events/repo.ts';
import { lockEventCounters } from '../lock-event-counters.ts';
import type { ExistingRequest, RequestStatus } from '../requests/repo.ts';
import { type RequestCounts, requestCounts } from '../requests/summary.ts';

export type RsvpKey = { eventId: string; userId: string };
const rsvpKey = { eventId: 'uuid', userId: 'uuid' } as const;

/** What decides about RSVPs to an event, and what they change: its counters, and what the organizer has not read. */
export type RsvpEvent = Pick<
  EventRow,
  'organizerId' | 'visibility' | 'hidden' | 'status' | 'rsvpCount' | 'rsvpUntil' | 'rsvpApproval'
> & { eventId: string } & Summary &
  RequestCounts;

/** Locks events as `lockEventCounters` does, and reads what decides about RSVPs. @returns the locked events by id */
export const lockRsvpEvents = (
  tx: Transaction,
  eventIds: string[],
  mayWaitForLocks: boolean,
): Promise<Map<string, RsvpEvent>> =>
  lockEventCounters<RsvpEvent>(
    tx,
    eventIds,
    sql`e.organizer_id, e.visibility, e.hidden, e.status, e.rsvp_until, e.rsvp_approval, c.rsvp_count,
      ${selectSummary('rsvps', sql`c`)}, ${requestCounts()}`,
    mayWaitForLocks,
  );

type RequestColumns = { requestStatus: RequestStatus | null; refusedAt: Date | null };
export type ExistingRsvp = { status: Rsvp; extraGuests: number };
/** What a person has at an event before a command: `rsvp` and `request` are null without one. */
export type Respondent = {
  rsvp: ExistingRsvp | null;
  request: ExistingRequest | null;
  standing: Standing;
};

/**
 * Reads existing RSVPs and requests and the standing of their people, one for each key in their order. The statement must follow
 * `lockRsvpEvents`: a statement that waits for the lock of an event and does not get it waited for the event's deletion.
 * @returns undefined for an event that does not exist
 */
export async function findRsvps(tx: Transaction, keys: RsvpKey[]): Promise<(Respondent | undefined)[]> {
  const events = keys.map(({ eventId, userId }) => ({ id: eventId, userId }));
  type FoundRow = { nth: number; status: Rsvp | null; extraGuests: number } & RequestColumns & Standing;
  const rows = await tx.query<FoundRow>(sql`
    select k.nth::int, r.status, coalesce(r.extra_guests, 0) as extra_guests, q.status as request_status, q.refused_at,
      ${standingColumns()}
    from ${rowsOf('events e', events, { id: 'uuid' }, { userId: 'uuid' })}
    left join rsvps r on r.event_id = ${joinedBy('e', 'id')} and r.user_id = k.user_id
    left join requests q on q.subject_id = ${joinedBy('e', 'id')} and q.user_id = k.user_id
    left join event_people p on p.event_id = ${joinedBy('e', 'id')} and p.user_id = k.user_id`);
  return byPosition(rows, keys.length).map((row) => {
    if (!row) return undefined;
    const { status, extraGuests, requestStatus, refusedAt, ...standing } = row;
    return {
      rsvp: status === null ? null : { status, extraGuests },
      request: requestStatus === null ? null : { status: requestStatus, refusedAt },
      standing,
    };
  });
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

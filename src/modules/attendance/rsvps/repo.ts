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
  'organizerId' | 'visibility' | 'hidden' | 'status' | 'rsvpCount' | 'rsvpUntil' | 'rsvpApproval' | 'seriesId'
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
    sql`e.organizer_id, e.visibility, e.hidden, e.status, e.rsvp_until, e.rsvp_approval, e.series_id, c.rsvp_count,
      ${selectSummary('rsvps', sql`c`)}, ${requestCounts()}`,
    mayWaitForLocks,
  );

type RequestColumns = { requestStatus: RequestStatus | null; refusedAt: Date | null };

/** `isOfSeries`: it comes from an RSVP to the series. `isUncounted`: it did not count among what the organizer has not read. */
export type ExistingRsvp = {
  status: Rsvp;
  extraGuests: number;
  isOfSeries: boolean;
  isUncounted: boolean;
};

/**
 * What a person has at an event before a command: `rsvp` and `request` are null without one. `isAbsent`: the person answered the
 * event, a date of a series, with no RSVP.
 */
export type Respondent = {
  rsvp: ExistingRsvp | null;
  request: ExistingRequest | null;
  standing: Standing;
  isAbsent: boolean;
};

/**
 * Reads existing RSVPs and requests and the standing of their people, one for each key in their order. The statement must follow
 * `lockRsvpEvents`: a statement that waits for the lock of an event and does not get it waited for the event's deletion.
 * @returns undefined for an event that does not exist
 */
export async function findRsvps(tx: Transaction, keys: RsvpKey[]): Promise<(Respondent | undefined)[]> {
  const events = keys.map(({ eventId, userId }) => ({ id: eventId, userId }));
  type FoundRow = { nth: number; status: Rsvp | null; isAbsent: boolean } & Omit<ExistingRsvp, 'status'> &
    RequestColumns &
    Standing;
  const rows = await tx.query<FoundRow>(sql`
    select k.nth::int, r.status, coalesce(r.extra_guests, 0) as extra_guests, coalesce(r.is_of_series, false) as is_of_series,
      coalesce(r.is_uncounted, false) as is_uncounted, q.status as request_status, q.refused_at,
      coalesce(p.is_absent, false) as is_absent, ${standingColumns()}
    from ${rowsOf('events e', events, { id: 'uuid' }, { userId: 'uuid' })}
    left join rsvps r on r.event_id = ${joinedBy('e', 'id')} and r.user_id = k.user_id
    left join requests q on q.subject_id = ${joinedBy('e', 'id')} and q.user_id = k.user_id
    left join event_people p on p.event_id = ${joinedBy('e', 'id')} and p.user_id = k.user_id`);
  return byPosition(rows, keys.length).map((row) => {
    if (!row) return undefined;
    const { status, extraGuests, isOfSeries, isUncounted, requestStatus, refusedAt, isAbsent, ...standing } =
      row;
    return {
      rsvp: status === null ? null : { status, extraGuests, isOfSeries, isUncounted },
      request: requestStatus === null ? null : { status: requestStatus, refusedAt },
      ...{ standing, isAbsent },
    };
  });
}

/** Null for `extraGuests` and `isHidden` keeps the value, which is 0 and false for a new RSVP. */
export type WrittenRsvp = RsvpKey & { status: Rsvp; extraGuests: number | null; isHidden: boolean | null };
/** Of an RSVP to a series. */
export type WrittenOfSeries = WrittenRsvp & { isOfSeries: true; isUncounted: boolean };

const rsvpColumns = {
  ...rsvpKey,
  status: 'text',
  extraGuests: 'smallint',
  isHidden: 'boolean',
  createdAt: 'timestamptz',
} as const;

/** The transaction must hold a lock on the counters of the events, as for the following statements. */
export const upsertRsvps = (rows: WrittenRsvp[], now: Date): Statement => sql`
  ${insertRows(
    'rsvps as r',
    rows.map((row) => ({ ...row, createdAt: now })),
    rsvpColumns,
  )} ${writeRsvp()}`;

/** As `upsertRsvps`. Answers to events themselves have no further columns, so that they cost what they did before there were series. */
export const upsertRsvpsOfSeries = (rows: WrittenOfSeries[], now: Date): Statement => sql`
  ${insertRows(
    'rsvps as r',
    rows.map((row) => ({ ...row, createdAt: now })),
    { ...rsvpColumns, isOfSeries: 'boolean', isUncounted: 'boolean' },
  )} ${writeRsvp()}`;

/** An answer to the event itself is no longer one of the series. */
const writeRsvp = (): Statement => sql`
  on conflict (event_id, user_id) do update set status = excluded.status,
    extra_guests = coalesce(excluded.extra_guests, r.extra_guests),
    is_hidden = coalesce(excluded.is_hidden, r.is_hidden), is_of_series = excluded.is_of_series`;

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

/** Account deletion: RSVPs, requests, saves and bookings; and the removal of guests. */
import { inChunks } from '#base';
import { lockEach, sql, type Transaction } from '#pg';
import type { DeletionHook, DepartureHook } from '../../http/define-module.ts';
import { takeBack } from '../../outbox/summaries.ts';
import { promoteWaitlist } from '../events/waitlist.ts';
import { type CounterMove, moveCounters } from './bookings/repo.ts';
import { deleteRequests } from './requests/repo.ts';
import { writeRequestCounts } from './requests/summary.ts';
import { moveRsvpCounters, type RsvpCounterMove } from './rsvps/repo.ts';

export const attendanceDeletionHooks: DeletionHook[] = [
  {
    // Relies on the events that the hook of `events` locked.
    firstTable: 'event_counters',
    run: async (tx, { userId }) => {
      await lockCountersOf(tx, userId);
      await deleteRsvps(tx, userId);
      await deleteRequestsOf(tx, userId);
      await tx.query(sql`delete from saves where user_id = ${userId}`);
      await deleteBookingsOf(tx, userId);
    },
  },
];

/**
 * Locks the counters of the person's RSVPs, requests and bookings in one sorted pass: locking them in two passes could deadlock with
 * a transaction that locks both in order. The account is locked, so the person gets no further RSVP or booking.
 */
async function lockCountersOf(tx: Transaction, userId: string): Promise<void> {
  const rows = await tx.query<{ eventId: string }>(sql`
    select event_id from rsvps where user_id = ${userId}
    union select coalesce(counted_event_id, subject_id) from requests where user_id = ${userId}
    union select event_id from bookings where user_id = ${userId}`);
  const eventIds = rows.map(({ eventId }) => eventId);
  await lockEach(eventIds, String, (id) =>
    tx.query(sql`select 1 from event_counters where event_id = ${id} for update`),
  );
}

/** Deletes the person's RSVPs and corrects the counters of their events, which are locked. */
async function deleteRsvps(tx: Transaction, userId: string): Promise<void> {
  const moves = await tx.query<Omit<RsvpCounterMove, 'summary'> & { isUncounted: boolean }>(sql`
    delete from rsvps where user_id = ${userId} returning event_id, coalesce(is_uncounted, false) as is_uncounted, -1 as rsvps, -(status = 'going')::int as going,
      -(status = 'going')::int * coalesce(extra_guests, 0) as extra_guests`);
  await takeBack(tx, 'rsvps', userId, moves, moveRsvpCounters);
}

/** Deletes the person's requests. No organizer approves one meanwhile: the counters of the events are locked. */
async function deleteRequestsOf(tx: Transaction, userId: string): Promise<void> {
  const ended = await tx.query<{ subjectId: string; isOfSeries: boolean; countedEventId: string | null }>(sql`
    delete from requests where user_id = ${userId} returning subject_id, is_of_series, counted_event_id`);
  const toEvents = ended.filter(({ isOfSeries }) => !isOfSeries).map(({ subjectId }) => subjectId);
  const toSeries = ended.flatMap(({ countedEventId }) => countedEventId ?? []);
  // One after the other: a request to a series may count at the date to which another one is.
  for (const eventIds of [toEvents, toSeries]) {
    const moves = eventIds.map((eventId) => ({ eventId }));
    await takeBack(tx, 'requests', userId, moves, writeRequestCounts);
  }
}

/** Deletes the request of a person whom the organizer removes. People who leave keep a refusal, so they cannot ask again at once. */
export const requestDepartureHook: DepartureHook = {
  firstTable: 'requests',
  run: async (tx, { eventId, userId, isRemoved }) => {
    if (!isRemoved) return { hadAny: false };
    const hadAny = (await tx.execute(deleteRequests([{ subjectId: eventId, userId }]))) > 0;
    if (hadAny) await takeBack(tx, 'requests', userId, [{ eventId }], writeRequestCounts);
    return { hadAny };
  },
};

/**
 * Deletes all bookings and waitlist entries of a person, in the transaction that deletes the account. The
 * freed seats go to the waitlists in the same transaction. The transaction must hold a lock on the counters
 * of these events, so no other transaction books the person from a waitlist in the meantime.
 */
async function deleteBookingsOf(tx: Transaction, userId: string): Promise<void> {
  const moves = await tx.query<CounterMove>(sql`
    delete from bookings where user_id = ${userId} returning event_id,
      case status when 'booked' then -seats else 0 end as booked, -(status = 'waiting')::int as waiting, 0 as added`);
  await takeBack(tx, 'bookings', userId, moves, moveCounters);
  for (const some of inChunks(moves)) {
    const waiting = await tx.query<{ eventId: string }>(sql`
      select event_id from event_counters
      where event_id = any(${some.map(({ eventId }) => eventId)}::uuid[]) and waiting_count > 0`);
    for (const { eventId } of waiting) await tx.execute(promoteWaitlist(eventId));
  }
}

/** Writes what organizers decide about requests. An approval makes the RSVPs in the place of the people who asked for them. */
import type { ChangedRecords } from '#fresh-records';
import type { Transaction } from '#pg';
import { insertDecisions } from '../../../outbox/decisions.ts';
import { unchangedSummary } from '../../../outbox/summaries.ts';
import { changedEvents } from '../../events/changed-events.ts';
import { writeStandings } from '../../events/event-people.ts';
import { moveOf } from '../rsvps/policy.ts';
import { findRsvps, lockRsvpEvents, moveRsvpCounters, type RsvpEvent, upsertRsvps } from '../rsvps/repo.ts';
import { findRequests, type RequestRow, writeStatus } from './repo.ts';

type Decided = { event: RsvpEvent; title: string; requests: RequestRow[] };

/**
 * Approves or refuses requests to an event that `lockRsvpEvents` has locked, and tells their people.
 * @returns what the caller records in the change log
 */
export async function writeDecisions(
  tx: Transaction,
  status: 'approved' | 'refused',
  { event, title, requests }: Decided,
  now: Date,
): Promise<ChangedRecords[]> {
  if (requests.length === 0) return [];
  const { eventId } = event;
  const keys = requests.map(({ subjectId, userId }) => ({ subjectId, userId }));
  await tx.execute(writeStatus(keys, status, now));
  await tx.execute(
    insertDecisions(requests.map(({ userId }) => ({ userId, eventId, title, what: status, reason: null }))),
  );
  if (status === 'refused') return [];
  await makeRsvps(tx, event, requests, now);
  return [changedEvents([eventId])];
}

/** The organizer causes these RSVPs, so the organizer is not notified of them. */
async function makeRsvps(tx: Transaction, event: RsvpEvent, requests: RequestRow[], now: Date) {
  const { eventId } = event;
  const keys = requests.map(({ userId }) => ({ eventId, userId }));
  await tx.execute(writeStandings(keys, { isApproved: true }));
  const people = await findRsvps(tx, keys);
  // A server of the release before this feature lets people answer, and leaves their requests.
  const asked = requests.filter((_, i) => !people[i]?.rsvp);
  const sum = { eventId, rsvps: 0, going: 0, extraGuests: 0 };
  for (const { answer: status, extraGuests } of asked) {
    const move = moveOf(null, { status, extraGuests: extraGuests ?? 0 });
    sum.rsvps += move.rsvps;
    sum.going += move.going;
    sum.extraGuests += move.extraGuests;
  }
  const rows = asked.map(({ userId, answer: status, extraGuests, isHidden }) => ({
    ...{ eventId, userId, status },
    ...{ extraGuests, isHidden },
  }));
  await tx.execute(upsertRsvps(rows, now));
  await tx.execute(moveRsvpCounters([{ ...sum, summary: unchangedSummary(event) }]));
}

/**
 * Approves the pending requests of people whom the organizer invites. The transaction must hold no lock that comes after those of
 * `event_counters`.
 * @returns as `writeDecisions`
 */
export async function approveInvited(
  tx: Transaction,
  { id, title }: { id: string; title: string },
  userIds: string[],
  now: Date,
): Promise<ChangedRecords[]> {
  if (userIds.length === 0) return [];
  const event = (await lockRsvpEvents(tx, [id], true)).get(id);
  if (!event) return [];
  const requests = await findRequests(tx, id, userIds);
  const pending = requests.filter(({ status }) => status === 'pending');
  return writeDecisions(tx, 'approved', { event, title, requests: pending }, now);
}

/** Decides a request to join all dates of a series. */
import { sql, type Transaction } from '#pg';
import { onBehalfOf } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { insertDecisions } from '../../../outbox/decisions.ts';
import { writeStandings } from '../../events/event-people.ts';
import type { Series } from '../../events/series/repo.ts';
import { findSeriesStanding, writeSeriesStanding } from '../../events/series/series-people.ts';
import { findSeriesRsvp } from '../../events/series/series-rsvps.ts';
import { decideRequest } from '../requests/policy.ts';
import { findRequests, type RequestRow, writeStatus } from '../requests/repo.ts';
import { lockRsvpEvents } from '../rsvps/repo.ts';
import type { AttendanceServices } from '../services.ts';
import { writeSeriesAnswer } from './answer-series.ts';

type Decision = { userId: string; status: 'approved' | 'refused'; now: Date };

/**
 * The series is locked against answers to it: of an approval and a withdrawal, or of two decisions, the second sees the first.
 * @throws Problem `request_not_found`, `event_cancelled`, `removed_from_event`
 */
export async function decideSeriesRequestIn(
  tx: Transaction,
  services: Pick<AttendanceServices, 'rsvps'>,
  series: Series,
  { userId, status, now }: Decision,
): Promise<RequestRow> {
  const coming = await tx.query<{ id: string; status: 'scheduled' | 'cancelled' }>(sql`
    select id, status from events where series_id = ${series.id} and end_at > ${now} order by start_at, id`);
  const next = coming.find((date) => date.status === 'scheduled');
  const [request] = await findRequests(tx, series.id, [userId]);
  const changes = decideRequest(status, { status: next ? 'scheduled' : 'cancelled' }, request ?? null);
  if (changes instanceof Problem) throw changes;
  if (!request) throw new Problem('request_not_found');
  if (!changes) return request;
  const eventIds = coming.map(({ id }) => id);
  if (status === 'approved') await permit(tx, series, { userId, eventIds });
  await tx.execute(writeStatus([request], status, now));
  const shown = next ?? coming.at(0);
  if (shown) await notify(tx, series, { userId, status, eventId: shown.id });
  if (status === 'approved') await answer(tx, services, series, { request, coming: eventIds, now });
  return request;
}

const notify = (
  tx: Transaction,
  { fields: { title } }: Series,
  { userId, status: what, eventId }: Pick<Decision, 'userId' | 'status'> & { eventId: string },
) => tx.execute(insertDecisions([{ userId, eventId, title, what, reason: null }]));

/**
 * Approves a person at all dates, who may then answer each differently and book seats.
 * @throws Problem `removed_from_event`
 */
async function permit(
  tx: Transaction,
  { id: seriesId }: Series,
  { userId, eventIds }: { userId: string; eventIds: string[] },
): Promise<void> {
  const standing = await findSeriesStanding(tx, seriesId, userId);
  if (standing.isRemoved) throw new Problem('removed_from_event');
  await writeSeriesStanding(tx, { seriesId, userId }, { ...standing, isApproved: true });
  if (eventIds.length === 0) return;
  await lockRsvpEvents(tx, eventIds, true);
  const people = eventIds.map((eventId) => ({ eventId, userId }));
  await tx.execute(writeStandings(people, { isApproved: true }));
}

/** Makes the RSVP to the series as it was asked for. */
async function answer(
  tx: Transaction,
  services: Pick<AttendanceServices, 'rsvps'>,
  series: Series,
  { request, coming, now }: { request: RequestRow; coming: string[]; now: Date },
): Promise<void> {
  const { userId, answer: status, extraGuests, isHidden } = request;
  const before = await findSeriesRsvp(tx, series.id, userId);
  const asked = { status, extraGuests: extraGuests ?? undefined, isHidden: isHidden ?? undefined };
  const person = { series, coming, before, caller: onBehalfOf({ id: userId, hasAccount: true }) };
  await writeSeriesAnswer(tx, services, person, { ...asked, isByOrganizer: true }, now);
}

/** Approves the pending requests to a series of people whom the organizer invites. The transaction has locked the series. */
export async function approveSeriesRequests(
  tx: Transaction,
  services: Pick<AttendanceServices, 'rsvps'>,
  series: Series,
  { userIds, now }: { userIds: string[]; now: Date },
): Promise<void> {
  if (userIds.length === 0) return;
  const requests = await findRequests(tx, series.id, userIds);
  for (const { userId, status } of requests)
    if (status === 'pending')
      await decideSeriesRequestIn(tx, services, series, { userId, status: 'approved', now });
}

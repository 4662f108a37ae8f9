/** Answers all dates of a series: stores the RSVP to the series, and sets those to its coming dates. */
import { sql, type Transaction } from '#pg';
import type { Caller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import type { Standing } from '../../events/policy.ts';
import type { OpenRequest, Rsvp } from '../../events/repo.ts';
import { listComingIds } from '../../events/series/occurrences.ts';
import { type Series, shareSeries } from '../../events/series/repo.ts';
import { findSeriesStanding } from '../../events/series/series-people.ts';
import {
  deleteSeriesRsvp,
  findSeriesRsvp,
  type SeriesRsvp,
  upsertSeriesRsvp,
} from '../../events/series/series-rsvps.ts';
import { isVisible } from '../../events/series/visible-series.ts';
import { needsApproval } from '../joining.ts';
import { isRefused } from '../requests/policy.ts';
import { findRequests, type RequestRow } from '../requests/repo.ts';
import { answerInvitations } from '../rsvps/answer-invitations.ts';
import type { RsvpCommand } from '../rsvps/policy.ts';
import { lockRsvpEvents } from '../rsvps/repo.ts';
import type { AttendanceServices } from '../services.ts';
import { endSeriesRequest, writeSeriesRequest } from './series-requests.ts';

/** `ask`: as of an answer to an event. What is left out of the others stays. */
type SeriesAnswer = Pick<RsvpCommand, 'status' | 'ask'> & {
  extraGuests?: number | undefined;
  isHidden?: boolean | undefined;
};

/** `affected`: the dates whose RSVP comes from the answer. `myRequest`: only for a person who has an open request. */
type SeriesAnswered = { myRsvp: Rsvp | null; affected: number; myRequest?: OpenRequest };

type Services = Pick<AttendanceServices, 'rsvps' | 'clock'>;

/**
 * Right under concurrency: the lock of the caller's account excludes other answers of the caller to the series; the shared lock of
 * the series excludes the job, changes of its dates and decisions about requests, and no other answers; the locks of the counters of
 * its dates, taken in ascending order of their ids, exclude answers to the dates themselves, which are found here or come later and
 * stay.
 * @throws Problem `series_not_found`, `removed_from_event`, `approval_required`, `request_refused`
 */
export async function answerSeries(
  tx: Transaction,
  services: Services,
  caller: Caller,
  { id, answer }: { id: string; answer: SeriesAnswer },
): Promise<SeriesAnswered> {
  await tx.query(sql`select 1 from users where id = ${caller.id} for no key update`);
  const series = await shareSeries(tx, id);
  const before = series && (await findSeriesRsvp(tx, id, caller.id));
  const [request = null] = series ? await findRequests(tx, id, [caller.id]) : [];
  const { status } = answer;
  const isPending = request?.status === 'pending';
  // An RSVP can be removed from a series that was hidden since, and a request withdrawn.
  const isFound =
    series && (((before || isPending) && status === null) || (await isVisible(tx, series, caller)));
  if (!isFound) throw new Problem('series_not_found');
  const now = services.clock();
  const person = { series, before, request, caller };
  const standing = await findSeriesStanding(tx, id, caller.id);
  if (status !== null && mustAsk(person, standing)) return await ask(tx, person, { ...answer, status }, now);
  const coming = await listComingIds(tx, id, now);
  if (request && (isPending || status !== null)) await endSeriesRequest(tx, request, { lock: coming });
  if (standing.isInvited) await answerInvitation(tx, person, { ...answer, coming }, now);
  if (status === null && !before) return { myRsvp: null, affected: 0, ...openOf(request, status) };
  const affected = await writeSeriesAnswer(tx, services, { ...person, coming }, { ...answer, status }, now);
  return { myRsvp: status, affected, ...openOf(request, status) };
}

/** A refusal stays when its person answers with null. */
const openOf = (request: RequestRow | null, status: Rsvp | null): { myRequest?: OpenRequest } =>
  request?.status === 'refused' && status === null ? { myRequest: 'refused' } : {};

type Person = {
  series: Series;
  before: SeriesRsvp | null;
  request: RequestRow | null;
  caller: Caller;
};

/** Whether the organizer has to approve the answer. @throws Problem `removed_from_event` */
function mustAsk({ series, before, caller }: Person, standing: Standing): boolean {
  if (standing.isRemoved) throw new Problem('removed_from_event');
  const { organizerId, fields } = series;
  const joined = { organizerId, rsvpUntil: null, rsvpApproval: fields.rsvpApproval };
  // An RSVP was approved, or the series needed no approval when it was made.
  return !(before || standing.isInvited || standing.isApproved) && needsApproval(joined, caller);
}

/** An invitation to the series by the id of the account has the answer too. */
async function answerInvitation(
  tx: Transaction,
  { series: { id }, before, caller }: Person,
  { status, extraGuests, coming }: SeriesAnswer & { coming: string[] },
  now: Date,
): Promise<void> {
  // The locks of an answer by the invitation, in their order.
  await lockRsvpEvents(tx, coming, true);
  const answer = {
    ...{ subjectId: id, userId: caller.id, status: status ?? ('pending' as const) },
    extraGuests: status === null ? 0 : (extraGuests ?? before?.extraGuests ?? 0),
  };
  await tx.execute(answerInvitations([answer], now));
}

/** @throws Problem `approval_required`, `request_refused` */
async function ask(
  tx: Transaction,
  { series, request, caller }: Person,
  { status, extraGuests, isHidden, ask }: SeriesAnswer & { status: Rsvp },
  now: Date,
): Promise<SeriesAnswered> {
  if (!ask) throw new Problem('approval_required');
  if (isRefused(request, now)) throw new Problem('request_refused');
  const asked = {
    ...{ subjectId: series.id, userId: caller.id, answer: status },
    ...{ extraGuests: extraGuests ?? null, isHidden: isHidden ?? null, message: ask.message },
  };
  await writeSeriesRequest(tx, asked, request, now);
  return { myRsvp: null, affected: 0, myRequest: 'pending' };
}

/** `coming`: the ids of the dates that have not ended, the first one first: the organizer is notified at the first RSVP. */
type Answerer = {
  series: Pick<Series, 'id'>;
  coming: string[];
  before: SeriesRsvp | null;
  caller: RsvpCommand['caller'] & Partial<Pick<Caller, 'role'>>;
};

/**
 * Stores an answer to a series, and applies it to the coming dates. The transaction must hold a lock of the series, and the lock of
 * the person or that of the series alone.
 * @param answer.isByOrganizer an organizer approves the answer
 * @returns the number of dates whose RSVP comes from it
 */
export async function writeSeriesAnswer(
  tx: Transaction,
  { rsvps }: Pick<Services, 'rsvps'>,
  { series: { id }, coming, before, caller }: Answerer,
  answer: Omit<SeriesAnswer, 'ask'> & Pick<RsvpCommand, 'isByOrganizer'>,
  now: Date,
): Promise<number> {
  const { status, isByOrganizer } = answer;
  const extraGuests = status === null ? null : (answer.extraGuests ?? before?.extraGuests ?? 0);
  const isHidden = status === null ? null : (answer.isHidden ?? before?.isHidden ?? false);
  if (status === null) await deleteSeriesRsvp(tx, id, caller.id);
  else
    await upsertSeriesRsvp(
      tx,
      id,
      { userId: caller.id, status, extraGuests: extraGuests ?? 0, isHidden: isHidden ?? false },
      now,
    );
  const commands = coming.map((eventId) => ({
    ...{ eventId, caller, status, extraGuests, isHidden },
    ...(isByOrganizer && { isByOrganizer }),
    ofSeries: { isNew: before === null },
  }));
  const outcomes = commands.length === 0 ? [] : await rsvps.applyIn(tx, caller.role ?? 'user', commands);
  return outcomes.filter((outcome) => !(outcome instanceof Problem || outcome.isKept)).length;
}

import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import type { Caller } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { needsApproval } from '../../attendance/joining.ts';
import type { AttendanceServices } from '../../attendance/services.ts';
import { SeriesParams } from '../../events/schemas.ts';
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
import { NewSeriesRsvp, SeriesRsvpResult } from './schemas.ts';

export const setSeriesRsvp = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/series/:id/rsvp',
  summary: 'Set or remove your RSVP to all dates of a series',
  description:
    'Sets the RSVP to each coming date that is neither cancelled nor past its `rsvpUntil`, and to each that is made later. An answer of ' +
    'the caller to a date itself, also one with null, is kept. It books no seats.',
  caller: 'fresh',
  params: SeriesParams,
  body: NewSeriesRsvp,
  response: { 200: SeriesRsvpResult },
  problems: ['series_not_found', 'removed_from_event', 'approval_required'],

  async handler({ caller, params, body }, services: AttendanceServices) {
    const id = readId(params.id, 'series_not_found');
    const result = await actAs(services.db, caller, (tx, caller) =>
      answerSeries(tx, services, caller, { id, body }),
    );
    return { status: 200, body: result };
  },
});

/**
 * Right under concurrency: the lock of the caller's account excludes other answers of the caller to the series; the shared lock of
 * the series excludes the job and changes of its dates, and no other answers; the locks of the counters of its dates, taken in
 * ascending order of their ids, exclude answers to the dates themselves, which are found here or come later and stay.
 */
async function answerSeries(
  tx: Transaction,
  { rsvps, clock }: AttendanceServices,
  caller: Caller,
  { id, body }: { id: string; body: NewSeriesRsvp },
): Promise<SeriesRsvpResult> {
  await tx.query(sql`select 1 from users where id = ${caller.id} for no key update`);
  const series = await shareSeries(tx, id);
  const before = series && (await findSeriesRsvp(tx, id, caller.id));
  const { status } = body;
  // An RSVP can be removed from a series that was hidden since.
  const isFound = series && ((before && status === null) || (await isVisible(tx, series, caller)));
  if (!isFound) throw new Problem('series_not_found');
  const now = clock();
  const answer = await writeAnswer(tx, { series, before, caller, body }, now);
  if (!answer && !before) return { myRsvp: null, affected: 0 };
  const { extraGuests = null, isHidden = null } = answer ?? {};
  const commands = (await listComingIds(tx, id, now)).map((eventId) => ({
    ...{ eventId, caller, status, extraGuests, isHidden },
    ofSeries: { isNew: before === null },
  }));
  const outcomes = commands.length === 0 ? [] : await rsvps.applyIn(tx, caller.role, commands);
  const affected = outcomes.filter((outcome) => !(outcome instanceof Problem || outcome.isKept));
  return { myRsvp: status, affected: affected.length };
}

type Answer = { series: Series; before: SeriesRsvp | null; caller: Caller; body: NewSeriesRsvp };

/**
 * @returns the RSVP to the series; null without one
 * @throws Problem `removed_from_event`, `approval_required`
 */
async function writeAnswer(
  tx: Transaction,
  { series, before, caller, body }: Answer,
  now: Date,
): Promise<SeriesRsvp | null> {
  const { status, extraGuests, isHidden } = body;
  if (status === null) {
    if (before) await deleteSeriesRsvp(tx, series.id, caller.id);
    return null;
  }
  const standing = await findSeriesStanding(tx, series.id, caller.id);
  if (standing.isRemoved) throw new Problem('removed_from_event');
  const { organizerId, fields } = series;
  const joined = { organizerId, rsvpUntil: null, rsvpApproval: fields.rsvpApproval };
  // An RSVP was approved, or the series needed no approval when it was made.
  const isApproved = before || standing.isInvited || standing.isApproved;
  if (!isApproved && needsApproval(joined, caller)) throw new Problem('approval_required');
  const answer = {
    ...{ userId: caller.id, status },
    extraGuests: extraGuests ?? before?.extraGuests ?? 0,
    isHidden: isHidden ?? before?.isHidden ?? false,
  };
  await upsertSeriesRsvp(tx, series.id, answer, now);
  return answer;
}

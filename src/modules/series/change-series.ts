import { firstDateOf } from '#recurrence';
import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { invalid } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { lockGuestsOf } from '../accounts/guests.ts';
import { recordEventChanges } from '../events/event-writes.ts';
import { SeriesParams } from '../events/schemas.ts';
import { listComingIds } from '../events/series/occurrences.ts';
import { clockOf, readRule, requireNoOverlap, type Schedule } from '../events/series/schedule.ts';
import { requireOwnSeries } from '../events/series/visible-series.ts';
import type { EventServices } from '../events/services.ts';
import { readerOf, seriesPresenter, versionOfSeries } from './present.ts';
import { readDates } from './read-series.ts';
import { reviseSeries } from './revise-series.ts';
import { ChangedSeries, DryRunQuery, maxDates, SeriesChange } from './schemas.ts';

/** Ends the transaction of a dry run without a commit. */
class DryRun extends Error {
  readonly outcome: ChangedSeries;
  constructor(outcome: ChangedSeries) {
    super('a dry run is rolled back');
    this.outcome = outcome;
  }
}

export const changeSeries = defineEndpoint({
  method: 'PATCH',
  path: '/v1/series/:id',
  summary: 'Change when a series repeats',
  description:
    'For its organizer and admins. A new rule begins at its first date from the start of the day, week, month or year of the old first ' +
    'date, and `COUNT` counts from there; what it leaves out comes from the old first date. Coming occurrences whose date stays are ' +
    'kept; others move to a date of the same day, week, month or year. One without a date is cancelled if anybody answered it or it was ' +
    'changed for itself, and deleted otherwise. No change sets or removes an answer.',
  caller: 'fresh',
  etag: 'ifMatch',
  params: SeriesParams,
  query: DryRunQuery,
  body: SeriesChange,
  response: { 200: ChangedSeries },
  problems: ['series_not_found', 'not_organizer'],
  limits: { turns: 'heavy', maxBodyValues: 2 * (1 + maxDates) + 10 },

  async handler({ caller, params, query, body, request }, services: EventServices) {
    const { db, clock } = services;
    const id = readId(params.id, 'series_not_found');
    const reader = await readerOf(services, request, caller);
    try {
      const outcome = await actAs(db, caller, async (tx, caller) => {
        await lockGuestsOf(tx, await listComingIds(tx, id, clock()));
        const series = await requireOwnSeries(tx, id, caller);
        requireMatch(request, versionOfSeries(series));
        const schedule = changeSchedule(series.schedule, body);
        const revised = await reviseSeries(tx, series, { schedule }, clock());
        await recordEventChanges(tx, revised.changes);
        const present = await seriesPresenter(tx, [revised.series], reader);
        const result = { ...present(revised.series), changes: revised.counts };
        if (query.dryRun) throw new DryRun(result);
        return result;
      });
      return { status: 200, body: outcome };
    } catch (error) {
      if (error instanceof DryRun) return { status: 200, body: error.outcome };
      throw error;
    }
  },
});

/** @throws Problem `invalid_request` */
function changeSchedule(schedule: Schedule, { rrule, ...dates }: SeriesChange): Schedule {
  const read = readDates(dates, schedule.allDay);
  const rule = rrule === undefined ? schedule.rule : readRule(rrule, clockOf(schedule));
  const first = rrule === undefined ? schedule.first : firstDateOf(rule, schedule.first);
  if (!first) throw invalid('rrule', 'gives no date in ten years');
  const changed = {
    ...schedule,
    rule,
    first,
    ...(dates.extraDates && { extra: read.extra }),
    ...(dates.excludedDates && { excluded: read.excluded }),
  };
  requireNoOverlap(changed, 'rrule');
  return changed;
}

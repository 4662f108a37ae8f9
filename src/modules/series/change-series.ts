import { isOneOf, sql, type Transaction } from '#pg';
import { firstDateOf } from '#recurrence';
import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { invalid } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { lockGuestsOf } from '../accounts/guests.ts';
import { writeDeletions } from '../events/delete-events.ts';
import { recordEventChanges } from '../events/event-writes.ts';
import { SeriesParams } from '../events/schemas.ts';
import { listComingIds, lockOccurrences, type OccurrenceRow } from '../events/series/occurrences.ts';
import { ownsGroupOf } from '../events/series/own-fields.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { type Series as SeriesRow, updateSeries } from '../events/series/repo.ts';
import { clockOf, readRule, requireNoOverlap, type Schedule } from '../events/series/schedule.ts';
import { requireOwnSeries } from '../events/series/visible-series.ts';
import type { EventServices } from '../events/services.ts';
import { type EventUpdate, writeUpdates } from '../events/update-events.ts';
import { writeDates } from './make-dates.ts';
import { type Pairs, pairDates } from './pair-dates.ts';
import { readerOf, seriesPresenter, versionOfSeries } from './present.ts';
import { readDates } from './read-series.ts';
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
        const changed = { ...series, schedule: changeSchedule(series.schedule, body) };
        const changes = await giveDates(tx, changed, clock());
        const present = await seriesPresenter(tx, [changed], reader);
        const result = { ...present(changed), changes };
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

/**
 * Gives the coming occurrences the dates of the series, and makes those that are missing. The lock of the series excludes the job and
 * other changes of its dates; the locks of its coming occurrences exclude answers, claims and comments while those without a date
 * are judged.
 */
async function giveDates(tx: Transaction, series: SeriesRow, now: Date): Promise<ChangedSeries['changes']> {
  const rows = await lockOccurrences(tx, series.id, sql`e.end_at > ${now}`);
  const plan = planOf(series, now);
  const { kept, moved, left, made } = pairDates(rows, series.schedule, plan, now);
  const used = await listUsed(tx, left, series.organizerId);
  const isKept = (row: OccurrenceRow) => used.has(row.id) || row.ownFields.length > 0;
  const [cancelled, deleted] = [left.filter(isKept), left.filter((row) => !isKept(row))];
  await updateSeries(tx, series, plan.dueAt, { at: now, lost: deleted });
  const changes = [
    await writeDeletions(tx, deleted),
    await writeUpdates(tx, [...moved.map(toMove), ...cancelled.filter(isScheduled).map(toCancellation)], now),
  ];
  const inserted = await writeDates(tx, series, { dates: made }, now);
  await recordEventChanges(tx, [...changes, inserted]);
  return {
    kept: kept.length,
    moved: moved.length,
    made: made.length,
    cancelled: cancelled.length,
    deleted: deleted.length,
  };
}

const isScheduled = ({ status }: OccurrenceRow): boolean => status === 'scheduled';

/** An occurrence that was moved alone keeps its time. */
const toMove = ({ row, to }: Pairs['moved'][number]): EventUpdate => ({
  before: row,
  fields: ownsGroupOf(row.ownFields, 'startAt') ? row : { ...row, ...to.times },
  occurrence: { seriesDate: to.date },
});

const toCancellation = (row: OccurrenceRow): EventUpdate => ({
  before: row,
  fields: { ...row, status: 'cancelled' },
  occurrence: { ownFields: [...new Set([...row.ownFields, 'status' as const])] },
});

/** The occurrences at which anybody but the organizer has an RSVP, claim, booking, save or comment. */
async function listUsed(tx: Transaction, rows: OccurrenceRow[], organizerId: string): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const of = sql`${isOneOf(
    sql`event_id`,
    rows.map(({ id }) => id),
  )} and user_id <> ${organizerId}`;
  const used = await tx.query<{ eventId: string }>(sql`
    select event_id from rsvps where ${of} union select event_id from claims where ${of}
    union select event_id from bookings where ${of} union select event_id from saves where ${of}
    union select event_id from comments where ${of}`);
  return new Set(used.map(({ eventId }) => eventId));
}

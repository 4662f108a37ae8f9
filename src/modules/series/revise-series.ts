/** Gives a series other dates and fields, with all that follows for its occurrences. */
import { isOneOf, sql, type Transaction } from '#pg';
import { writeDeletions } from '../events/delete-events.ts';
import { requireCapacity } from '../events/event-rules.ts';
import type { EventChanges } from '../events/event-writes.ts';
import { listExactPlaces, toStored, withExactPlace } from '../events/exact-place.ts';
import { loadShownPlaces } from '../events/public-place.ts';
import type { EventChange } from '../events/schemas.ts';
import { changeOther } from '../events/series/occurrence-change.ts';
import {
  dateOf,
  lockOccurrences,
  type Occurrence,
  type OccurrenceRow,
} from '../events/series/occurrences.ts';
import { ownsGroupOf } from '../events/series/own-fields.ts';
import { type PlannedChange, planFields } from '../events/series/planned-change.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { type Series, updateSeries } from '../events/series/repo.ts';
import { type PlannedDate, readDate, type Schedule, timesOf } from '../events/series/schedule.ts';
import { type EventUpdate, writeUpdates } from '../events/update-events.ts';
import { writeDates } from './make-dates.ts';
import { applyOwnChange, type DateChange, newDates } from './own-dates.ts';
import { pairDates } from './pair-dates.ts';

/**
 * `schedule`: the new dates and times. `change`: of the fields of all occurrences, without their times. `dates`: what one date alone
 * has, by its new date.
 */
type Revision = { schedule: Schedule; change?: EventChange; dates?: DateChange[] };
type RevisedDates = Record<'kept' | 'moved' | 'made' | 'cancelled' | 'deleted', number>;

/**
 * Gives the coming occurrences the dates and fields of the series, and makes those that are missing, without recording the changes. The
 * lock of the series, which the transaction must hold with those of the guests, excludes the job and other changes of its dates; the
 * locks of its coming occurrences exclude answers, claims and comments while those without a date are judged. What was changed for
 * an occurrence alone stays, and those that have ended do not change.
 * @throws Problem as the change of an event
 */
export async function reviseSeries(
  tx: Transaction,
  before: Series,
  { schedule, change = {}, dates = [] }: Revision,
  now: Date,
): Promise<{ series: Series; counts: RevisedDates; changes: EventChanges[] }> {
  const rows = await lockOccurrences(tx, before.id, sql`e.end_at > ${now}`);
  const exactPlaces = await listExactPlaces(tx, rows);
  const occurrenceOf = (row: OccurrenceRow): Occurrence => {
    const exactPlace = exactPlaces.get(row.id) ?? null;
    return { before: { ...row, exactPlace }, entered: withExactPlace(row, exactPlace) };
  };
  const shownPlace = await loadShownPlaces(...rows, before.fields, change, ...dates.map((one) => one.change));
  const planned = planFields({ ...before, schedule }, change, shownPlace);
  const { series } = planned;
  const plan = planOf(series, now);
  const { kept, moved, left, made } = pairDates(rows, schedule, plan, now);
  const used = await listUsed(tx, left, series.organizerId);
  const isKept = (row: OccurrenceRow) => used.has(row.id) || row.ownFields.length > 0;
  const [cancelled, deleted] = [left.filter(isKept), left.filter((row) => !isKept(row))];
  await updateSeries(tx, series, plan.dueAt, { at: now, lost: deleted });
  const changeOn = new Map(dates.map((one) => [one.date, one]));
  const context = { planned, retimed: hasOtherTimes(before.schedule, schedule), changeOn };
  const updates = [...kept.map((row) => ({ row, to: plannedDate(schedule, row) })), ...moved].flatMap(
    ({ row, to }) => updateOf(occurrenceOf(row), to, context),
  );
  const changes = [
    await writeDeletions(tx, deleted),
    await writeUpdates(
      tx,
      [...updates, ...cancelled.filter(isScheduled).map(toCancellation)].sort(byStart),
      now,
    ),
  ];
  const existing = new Set([...kept.map(({ seriesDate }) => seriesDate), ...moved.map(({ to }) => to.date)]);
  const missing = series.status === 'ended' ? [] : dates.filter(({ date }) => !existing.has(date));
  const inserted = newDates(series, made, await withoutExisting(tx, series.id, missing), { shownPlace, now });
  changes.push(await writeDates(tx, series, { dates: inserted }, now));
  return {
    ...{ series, changes },
    counts: {
      kept: kept.length,
      moved: moved.length,
      made: inserted.length,
      cancelled: cancelled.length,
      deleted: deleted.length,
    },
  };
}

const isScheduled = ({ status }: OccurrenceRow): boolean => status === 'scheduled';
const byStart = (a: EventUpdate, b: EventUpdate): number =>
  a.before.startAt.getTime() - b.before.startAt.getTime();

/** The date that an occurrence keeps. */
function plannedDate(schedule: Schedule, row: OccurrenceRow): PlannedDate {
  const date = readDate(row.seriesDate, schedule.allDay) ?? dateOf(row);
  return { date: row.seriesDate, times: timesOf(schedule, date) };
}

const hasOtherTimes = (before: Schedule, after: Schedule): boolean =>
  before.timezone !== after.timezone ||
  before.allDay !== after.allDay ||
  Temporal.Duration.compare(before.length, after.length, { relativeTo: '2026-01-01' }) !== 0;

type Context = {
  planned: PlannedChange;
  retimed: boolean;
  changeOn: Map<string, DateChange>;
};

/** Nothing for an occurrence that stays as it is. An occurrence that was moved alone keeps its time. */
function updateOf(
  occurrence: Occurrence,
  to: PlannedDate,
  { planned, retimed, changeOn }: Context,
): EventUpdate[] {
  const { before, entered } = occurrence;
  const { shownPlace, change } = planned;
  const ownChange = changeOn.get(to.date);
  const isMoved = to.date !== before.seriesDate;
  const isChanged = Object.keys(change).length > 0;
  if (!isMoved && !retimed && !isChanged && !ownChange) return [];
  const takesTimes = (isMoved || retimed) && !ownsGroupOf(before.ownFields, 'startAt');
  const times = takesTimes ? to.times : {};
  const occurrenceDate = { seriesDate: to.date };
  if (!isChanged && !ownChange)
    return [{ before, fields: { ...before, ...times }, occurrence: occurrenceDate }];
  const ofAll = isChanged
    ? changeOther(occurrence, planned)
    : { fields: entered, ownFields: before.ownFields };
  const { fields, ownFields } = applyOwnChange(
    { ...ofAll, fields: { ...ofAll.fields, ...times } },
    { series: planned.series, to, ownChange, shownPlace },
  );
  requireCapacity(before, fields);
  return [
    {
      before,
      fields: toStored(fields, shownPlace, before.exactPlace),
      occurrence: { ...occurrenceDate, ownFields },
    },
  ];
}

const toCancellation = (row: OccurrenceRow): EventUpdate => ({
  before: row,
  fields: { ...row, status: 'cancelled' },
  occurrence: { ownFields: [...new Set([...row.ownFields, 'status' as const])] },
});

/** Occurrences that have ended stay as they are. */
async function withoutExisting(
  tx: Transaction,
  seriesId: string,
  dates: DateChange[],
): Promise<DateChange[]> {
  if (dates.length === 0) return [];
  const rows = await tx.query<{ seriesDate: string }>(sql`
    select series_date from events
    where series_id = ${seriesId} and series_date = any(${dates.map(({ date }) => date)}::text[])`);
  const existing = new Set(rows.map(({ seriesDate }) => seriesDate));
  return dates.filter(({ date }) => !existing.has(date));
}

/** The occurrences at which another person than the organizer has an RSVP, claim, booking, save or comment. */
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

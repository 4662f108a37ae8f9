/** What the entries of a series say, as a series here: its rule, its further, excluded and changed dates. */
import { runInTurn } from '#base';
import { formatRule, RuleError } from '#recurrence';
import { Problem } from '../../lib/errors.ts';
import { planOf } from '../events/series/planned-dates.ts';
import { clockOf, formatDate, type PlannedDate, timesOf } from '../events/series/schedule.ts';
import { addChanges, type Changed, type ChangedDate, type SaidEntry } from './changed-dates.ts';
import type { ChosenEntry, ChosenSeries } from './choose-dates.ts';
import type { EntryContent } from './entry-content.ts';
import { toInstant } from './entry-times.ts';
import { type Calendar, zoneOf } from './parse-calendar.ts';
import { partOf } from './part-of-series.ts';
import { readDates } from './said-dates.ts';
import { nextPeriods, scheduleOfFirst } from './series-dates.ts';

/** The dates of a series beside its event, as requests have them. */
export type SeriesContent = {
  rrule: string;
  extraDates: string[];
  excludedDates: string[];
  changedDates: ChangedDate[];
};

/** `next`: the local dates that come next. `planned`: how many occurrences would be made. `singles`: no series can have these dates. */
export type Described =
  | { kind: 'series'; content: EntryContent; series: SeriesContent; next: string[]; planned: number }
  | { kind: 'singles'; reason: string }
  | { kind: 'empty' };

type Source = { calendar: Calendar; now: Date };

/**
 * Describes a series in many turns of the event loop.
 * @param content of the entry; of a part, it begins at the first date of the part
 */
export async function describeSeries(
  entry: ChosenEntry & { series: ChosenSeries },
  content: EntryContent,
  changes: SaidEntry[],
  source: Source,
): Promise<Described> {
  try {
    const said = await readDates(entry, content, source.calendar);
    const part = await runInTurn(() => partOf(entry, said, source.calendar));
    if (!part) return { kind: 'empty' };
    const changed = await addChanges(part, { entry, content, changes, calendar: source.calendar });
    return await checked(entry, content, changed, source);
  } catch (error) {
    if (error instanceof RuleError) return { kind: 'singles', reason: error.message };
    if (error instanceof Problem) return { kind: 'singles', reason: error.message.replace(/\.$/, '') };
    throw error;
  }
}

/** Of a review. */
const shownDates = 5;

/** @throws Problem for a series that cannot be made; RuleError for one in a zone that cannot be kept */
async function checked(
  entry: ChosenEntry,
  content: EntryContent,
  { schedule, changedDates }: Changed,
  { calendar, now }: Source,
): Promise<Described> {
  const { first, allDay, rule, extra, excluded } = schedule;
  const { startAt, endAt } = timesOf(schedule, first);
  const event = { ...content, startAt: startAt.toISOString(), endAt: endAt.toISOString() };
  const dates = {
    rrule: formatRule(rule, clockOf(schedule)),
    extraDates: extra.map((date) => formatDate(date, allDay)),
    excludedDates: [...excluded].sort(),
  };
  await runInTurn(() => scheduleOfFirst(event, dates));
  const plan = await runInTurn(() => planOf({ schedule, status: 'active' }, now).dates);
  const isChanged = (date: string) => changedDates.some((changed) => changed.date === date);
  const movedLater = changedDates.filter(
    ({ change }) => change.endAt && Date.parse(change.endAt) > now.getTime(),
  );
  const cancelled = new Set(
    changedDates.flatMap(({ date, change }) => (change.status === 'cancelled' ? [date] : [])),
  );
  const regular = plan.filter(({ date }) => !isChanged(date));
  await requireSameTimes(entry, regular, { calendar, now, timezone: schedule.timezone });
  return {
    ...{ kind: 'series', content: event, series: { ...dates, changedDates } },
    next: [...new Set([...plan, ...movedLater].map(({ date }) => date))]
      .filter((date) => !cancelled.has(date))
      .sort()
      .slice(0, shownDates),
    planned: plan.length + movedLater.length,
  };
}

/** A zone that only the file has, or an offset, may differ from the zone of the event on some dates. @throws RuleError */
async function requireSameTimes(
  entry: ChosenEntry,
  planned: PlannedDate[],
  { calendar, now, timezone }: Source & { timezone: string },
): Promise<void> {
  const { start } = entry.period;
  const kind = start.isDate || start.tzid === undefined ? undefined : zoneOf(start.tzid, calendar)?.kind;
  if (kind !== 'own' && kind !== 'offset') return;
  const said = (await nextPeriods(entry, { calendar, timezone, now })).slice(0, planned.length);
  if (
    said.some(
      (period, i) => toInstant(period.start, timezone, calendar) !== planned[i]?.times.startAt.getTime(),
    )
  )
    throw new RuleError('RRULE', 'is in a time zone that only this file has');
}

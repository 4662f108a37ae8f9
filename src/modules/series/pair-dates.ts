/** Gives the occurrences of a series the dates of its new rule. */
import { periodStart } from '#recurrence';
import type { OccurrenceRow } from '../events/series/occurrences.ts';
import type { Plan } from '../events/series/planned-dates.ts';
import {
  comingDates,
  datesIn,
  formatDate,
  type PlannedDate,
  readDate,
  type Schedule,
  timesOf,
} from '../events/series/schedule.ts';

export type Pairs = {
  kept: OccurrenceRow[];
  moved: { row: OccurrenceRow; to: PlannedDate }[];
  /** Without a date any more. */
  left: OccurrenceRow[];
  made: PlannedDate[];
};

/** More than the days of the horizon: no daily occurrence that exists is overlooked. */
const maxCompared = 1_000;

/**
 * Equal dates are paired first, then dates of the same day, of which the time changes, also if it is over then; then the others, in order within the same day, week, month or year, by the frequency of the new rule:
 * the occurrence of a Tuesday that becomes a Wednesday keeps everything in it.
 * @param rows the coming occurrences
 */
export function pairDates(rows: OccurrenceRow[], schedule: Schedule, plan: Plan, now: Date): Pairs {
  const last =
    rows
      .map(({ seriesDate }) => seriesDate)
      .sort()
      .at(-1) ?? '';
  const planned = new Set(plan.dates.map(({ date }) => date));
  // Dates beyond the plan keep the occurrences that exist; none is made for them.
  const candidates = comingDates(schedule, now, maxCompared).filter(
    ({ date }) => planned.has(date) || date <= lastOfPeriod(last),
  );
  const free = new Map(candidates.map((candidate) => [candidate.date, candidate]));
  const kept: OccurrenceRow[] = [];
  const moved: Pairs['moved'] = [];
  const take = (row: OccurrenceRow, to: PlannedDate) => {
    if (to.date === row.seriesDate) kept.push(row);
    else moved.push({ row, to });
    free.delete(to.date);
  };
  const others = rows.filter((row) => {
    const same = free.get(row.seriesDate);
    if (same) take(row, same);
    return !same;
  });
  const taken = new Set(rows.map(({ seriesDate }) => seriesDate));
  const inPeriods = others.filter((row) => {
    // A date that is over has an occurrence too, if it alone was moved to a later time.
    const ofDay = datesOfDay(schedule, row.seriesDate);
    const same =
      ofDay.find(({ date }) => date === row.seriesDate) ?? ofDay.find(({ date }) => !taken.has(date));
    if (same) {
      take(row, same);
      taken.add(same.date);
    }
    return !same;
  });
  const periodOf = (date: string) => periodKey(date, schedule);
  const byPeriod = Map.groupBy(free.values(), ({ date }) => periodOf(date));
  const left = inPeriods.filter((row) => {
    const to = byPeriod.get(periodOf(row.seriesDate))?.shift();
    if (to) take(row, to);
    return !to;
  });
  return { kept, moved, left, made: plan.dates.filter(({ date }) => free.has(date)) };
}

/** The dates of the schedule on the day of a date. */
function datesOfDay(schedule: Schedule, text: string): PlannedDate[] {
  const day = readDate(text, true) ?? readDate(text, false)?.withPlainTime();
  if (!day) return [];
  return datesIn(schedule, { from: day, before: day.add({ days: 1 }), limit: maxOfDay }).map((date) => ({
    date: formatDate(date, schedule.allDay),
    times: timesOf(schedule, date),
  }));
}

const maxOfDay = 100;

/** A text that is not before any date of the same year. */
const lastOfPeriod = (date: string): string => `${date.slice(0, 4)}-12-31T23:59`;

/** Equal for dates of the same day, week, month or year. */
function periodKey(text: string, { rule, allDay }: Schedule): string {
  const date = readDate(text, allDay) ?? readDate(text, !allDay);
  return date ? periodStart(rule, date).toString() : text;
}

/** Gives the occurrences of a series the dates of its new rule. */
import { periodStart } from '#recurrence';
import type { OccurrenceRow } from '../events/series/occurrences.ts';
import type { Plan } from '../events/series/planned-dates.ts';
import { comingDates, type PlannedDate, readDate, type Schedule } from '../events/series/schedule.ts';

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
 * Equal dates are paired first; then the others, in order within the same day, week, month or year, by the frequency of the new rule:
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
  const byDate = new Map(candidates.map((candidate) => [candidate.date, candidate]));
  const kept = rows.filter(({ seriesDate }) => byDate.has(seriesDate));
  const others = rows.filter(({ seriesDate }) => !byDate.has(seriesDate));
  for (const { seriesDate } of kept) byDate.delete(seriesDate);
  const periodOf = (date: string) => periodKey(date, schedule);
  const free = Map.groupBy(byDate.values(), ({ date }) => periodOf(date));
  const moved = others.flatMap((row) => {
    const to = free.get(periodOf(row.seriesDate))?.shift();
    return to ? [{ row, to }] : [];
  });
  const movedRows = new Set(moved.map(({ row }) => row));
  const taken = new Set(moved.map(({ to }) => to.date));
  return {
    kept,
    moved,
    left: others.filter((row) => !movedRows.has(row)),
    made: plan.dates.filter(({ date }) => byDate.has(date) && !taken.has(date)),
  };
}

/** A text that is not before any date of the same year. */
const lastOfPeriod = (date: string): string => `${date.slice(0, 4)}-12-31T23:59`;

/** Equal for dates of the same day, week, month or year. */
function periodKey(text: string, { rule, allDay }: Schedule): string {
  const date = readDate(text, allDay) ?? readDate(text, !allDay);
  return date ? periodStart(rule, date).toString() : text;
}

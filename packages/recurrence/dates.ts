import { dayNumberOf, toDateTime } from './day-numbers.ts';
import { Expansion, lastDayEver } from './expansion.ts';
import type { Rule } from './rule.ts';

type DateTime = Temporal.PlainDateTime;

/** Ten years. A search ends after so many days without a date. */
export const maxGapDays = 3653;

/** `from` is inclusive, `before` exclusive. */
export type DateRange = { from?: DateTime; before?: DateTime; limit: number };

/**
 * The dates of a rule that begins at `first`, in ascending order. What the rule leaves out (a day of the week or of the month)
 * comes from `first`, which counts only if it is a date of the rule. A rule without `COUNT` is read from `from` on. The list
 * ends before a date that is more than ten years after the one before it, or after `from`.
 */
export function datesOf(rule: Rule, first: DateTime, { from = first, before, limit }: DateRange): DateTime[] {
  const time = first.toPlainTime();
  const start = Math.max(dayNumberOf(first), firstDayAt(from, time));
  const end = Math.min(endOf(rule, time), before ? firstDayAt(before, time) : Infinity);
  const dates: DateTime[] = [];
  let last = start;
  for (const day of daysFrom(rule, first, start)) {
    if (dates.length >= limit || day >= end || day > last + maxGapDays) break;
    dates.push(toDateTime(day, time));
    last = day;
  }
  return dates;
}

/** The last date of a rule with `COUNT` or `UNTIL`; null for a rule without end, or without a date. */
export function lastDateOf(rule: Rule, first: DateTime): DateTime | null {
  const time = first.toPlainTime();
  const start = dayNumberOf(first);
  let last: number | undefined;
  if (rule.count) for (const day of daysFrom(rule, first, start)) last = day;
  else if (rule.until) [last] = new Expansion(rule, first).down(endOf(rule, time) - 1, start);
  return last === undefined ? null : toDateTime(last, time);
}

/**
 * The date of the rule nearest to `at`, before or after it; the later one of two. The rule is aligned to the day, week, month or
 * year of `at`. Null if there is none within ten years.
 */
export function nearestDate(rule: Rule, at: DateTime): DateTime | null {
  const time = at.toPlainTime();
  const day = dayNumberOf(at);
  const last = endOf(rule, time) - 1;
  const expansion = new Expansion(rule, at);
  const [after = Infinity] = expansion.up(day, Math.min(day + maxGapDays, last));
  const [before = -Infinity] = expansion.down(Math.min(day, last), day - maxGapDays);
  const nearest = after - day <= day - before ? after : before;
  return Number.isFinite(nearest) ? toDateTime(nearest, time) : null;
}

/**
 * The first date of a new rule for dates that began at `oldFirst`: the first one from the start of its day, week, month or year
 * (by the new rule), at its time of day. Null if there is none in ten years.
 */
export function firstDateOf(rule: Rule, oldFirst: DateTime): DateTime | null {
  const time = oldFirst.toPlainTime();
  const expansion = new Expansion(rule, oldFirst);
  const start = expansion.startOfPeriod(dayNumberOf(oldFirst));
  const [day] = expansion.up(start, Math.min(start + maxGapDays, endOf(rule, time) - 1));
  return day === undefined ? null : toDateTime(day, time);
}

/** The first day of the day, week, month or year (by the frequency of the rule) of a date. */
export function periodStart(rule: Rule, date: DateTime): Temporal.PlainDate {
  const day = new Expansion(rule, date).startOfPeriod(dayNumberOf(date));
  return toDateTime(day, midnight).toPlainDate();
}

const midnight = new Temporal.PlainTime();

/** The days of a rule from `start` on; those before it count for `COUNT`. */
function* daysFrom(rule: Rule, first: DateTime, start: number): Generator<number> {
  let n = 0;
  for (const day of new Expansion(rule, first).up(rule.count ? dayNumberOf(first) : start, lastDayEver)) {
    if (day >= start) yield day;
    if (++n === rule.count) return;
  }
}

/** The first day on which a date is not before `at`. */
const firstDayAt = (at: DateTime, time: Temporal.PlainTime): number =>
  dayNumberOf(at) + (Temporal.PlainTime.compare(time, at) < 0 ? 1 : 0);

/** The first day after the end of the rule. */
const endOf = ({ until }: Rule, time: Temporal.PlainTime): number =>
  until ? dayNumberOf(until) + (Temporal.PlainTime.compare(time, until) <= 0 ? 1 : 0) : Infinity;

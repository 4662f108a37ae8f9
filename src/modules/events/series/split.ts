/** Splits a series at a date: it ends with the date before, and a new series goes on from there. */
import { newId } from '#base';
import { datesOf, type Rule } from '#recurrence';
import type { Series } from './repo.ts';
import { compare, formatDate, type LocalTime, lastDateBefore, type Schedule } from './schedule.ts';

const maxCount = 1_000;

/** The rule of one date. */
export const onlyOnce: Rule = {
  ...{ freq: 'DAILY', interval: 1, count: 1, until: null, wkst: 'MO' },
  ...{ byDay: [], byMonthDay: [], byMonth: [], bySetPos: [], byYearDay: [], byWeekNo: [] },
};

/** @returns null if no date is before the given one: the whole series is concerned */
export function splitSeries(
  series: Series,
  at: LocalTime,
  now: Date,
): { earlier: Series; later: Series } | null {
  const { schedule } = series;
  const last = lastDateBefore(schedule, at);
  if (!last) return null;
  return {
    earlier: { ...series, schedule: endedAt(schedule, last, at) },
    later: { ...series, id: newId(), schedule: beginningAt(schedule, at), createdAt: now },
  };
}

/** The part of a schedule until its last date. @param at the date from which it has none */
export function endedAt(schedule: Schedule, last: LocalTime, at: LocalTime): Schedule {
  const { rule, extra, excluded, deleted, allDay } = schedule;
  const atText = formatDate(at, allDay);
  return {
    ...schedule,
    rule: { ...rule, count: null, until: last },
    extra: extra.filter((date) => compare(date, at) < 0),
    excluded: new Set([...excluded].filter((date) => date < atText)),
    deleted: new Set([...deleted].filter((date) => date < atText)),
  };
}

/** The part of a schedule from a date on. */
export function beginningAt(schedule: Schedule, at: LocalTime): Schedule {
  const { rule, first, extra, excluded, deleted, allDay } = schedule;
  const atText = formatDate(at, allDay);
  const [begin] = datesOf(rule, first, { from: at, limit: 1 });
  const passed = rule.count === null ? 0 : datesOf(rule, first, { before: at, limit: maxCount }).length;
  const left = rule.count === null ? null : rule.count - passed;
  return {
    ...schedule,
    first: begin ?? at,
    // What is left of a series whose rule has ended are extra dates: the rule then has the first of them alone.
    rule: begin ? { ...rule, count: left } : onlyOnce,
    extra: extra.filter((date) => compare(date, at) >= 0),
    excluded: new Set([...excluded].filter((date) => date >= atText)),
    deleted: new Set([...deleted].filter((date) => date >= atText)),
  };
}

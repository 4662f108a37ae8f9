/** What a file changes about the dates of a series that an earlier import made. */
import { isDeepStrictEqual } from 'node:util';
import { parseRule, type Rule } from '#recurrence';
import type { EventFields } from '../events/event-fields.ts';
import { withDefaults } from '../events/event-rules.ts';
import type { Series } from '../events/series/repo.ts';
import {
  clockOf,
  compare,
  formatDate,
  type LocalTime,
  readDate,
  requireNoOverlap,
  type Schedule,
  scheduleOfEvent,
} from '../events/series/schedule.ts';
import type { DateChange } from '../series/own-dates.ts';
import { readDates } from '../series/read-series.ts';
import type { SeriesContent } from './describe-series.ts';
import type { EntryContent } from './entry-content.ts';

/** What a file says of a series: its event, and its dates. */
export type SaidSeries = EntryContent & { series: SeriesContent };

/** When each occurrence is, by the clocks of a zone. `length`: an ISO 8601 duration. */
type Hours = { clock: string; length: string; timezone: string; allDay: boolean };
type Delta = { added: string[]; removed: string[] };

/**
 * `rule`: null if it stays; `first`: the day of its first date. `hours`: null if the occurrences stay at their times. `clock`: the time of
 * the dates in the file. `dates`: what single dates have of their own now.
 */
export type SeriesChange = {
  rule: { rrule: string; first: string } | null;
  hours: Hours | null;
  clock: string;
  extra: Delta;
  excluded: Delta;
  dates: DateChange[];
};

/** The dates of a series as a file says them. */
export function scheduleOf({ series, status: _, ...event }: SaidSeries): Schedule {
  const fields: EventFields = withDefaults(event);
  const rule = parseRule(series.rrule, clockOf(fields));
  return scheduleOfEvent(fields, rule, readDates(series, fields.allDay));
}

export const clockOfDate = (date: LocalTime): string =>
  date.toPlainTime().toString({ smallestUnit: 'minute' });
const dayOf = (date: LocalTime): string => date.toPlainDate().toString();

export const hoursOf = ({ first, length, timezone, allDay }: Schedule): Hours => ({
  ...{ clock: clockOfDate(first), length: length.toString(), timezone, allDay },
});

/** Where the rule begins. Of a rule that ends, the end is a part of its text. */
const ruleOf = (said: SaidSeries, { first }: Schedule): { rrule: string; first: string } => ({
  rrule: said.series.rrule,
  first: dayOf(first),
});

const deltaOf = (before: string[], after: string[]): Delta => ({
  added: after.filter((date) => !before.includes(date)),
  removed: before.filter((date) => !after.includes(date)),
});

/** `parts`: the series here; `keepsEdits`: what was changed here stays, also if the file has something newer. */
type Compared = { before: SaidSeries; after: SaidSeries; parts: Series[]; keepsEdits: boolean };

/** @returns null if the dates stay */
export function changeOfDates({ before, after, parts, keepsEdits }: Compared): SeriesChange | null {
  const [said, says] = [scheduleOf(before), scheduleOf(after)];
  const [one, ...others] = parts;
  if (!one) return null;
  const wasRule = ruleOf(before, said);
  const rule = ruleOf(after, says);
  const isRuleHere = (other: Schedule) =>
    dayOf(other.first) === wasRule.first && isSameRule(other.rule, said.rule);
  // A series that was split here has several rules: none of them is that of the file.
  const keepsRule = others.length > 0 || (keepsEdits && !isRuleHere(one.schedule));
  const areHoursHere = parts.every(({ schedule }) => isDeepStrictEqual(hoursOf(schedule), hoursOf(said)));
  const [wasHours, hours] = [hoursOf(said), hoursOf(says)];
  const change: SeriesChange = {
    rule: isDeepStrictEqual(wasRule, rule) || keepsRule ? null : rule,
    hours: isDeepStrictEqual(wasHours, hours) || (keepsEdits && !areHoursHere) ? null : hours,
    clock: hours.clock,
    extra: deltaOf(onClock(before.series.extraDates, wasHours, hours), after.series.extraDates),
    excluded: deltaOf(onClock(before.series.excludedDates, wasHours, hours), after.series.excludedDates),
    dates: datesThatChange(before, after, { wasHours, hours }),
  };
  return isEmpty(change) ? null : change;
}

export const noChangeOfDates = (clock: string): SeriesChange => ({
  ...{ rule: null, hours: null, clock, dates: [] },
  extra: { added: [], removed: [] },
  excluded: { added: [], removed: [] },
});

export const isEmpty = ({ rule, hours, extra, excluded, dates }: SeriesChange): boolean =>
  rule === null &&
  hours === null &&
  [extra.added, extra.removed, excluded.added, excluded.removed, dates].every((list) => list.length === 0);

/** Rules are equal whose ends are on the same day: a moved time moves the end. */
const isSameRule = (a: Rule, b: Rule): boolean => {
  const plain = ({ until, ...rule }: Rule) => ({ ...rule, until: until && dayOf(until) });
  return isDeepStrictEqual(plain(a), plain(b));
};

type ClockOnly = Pick<Hours, 'clock' | 'allDay'>;

/** Dates that have the time of the others move with it. */
const onClock = (dates: string[], from: ClockOnly, to: ClockOnly): string[] =>
  dates.map((date) => dateOnClock(date, from, to));

export function dateOnClock(text: string, from: Pick<Hours, 'clock'>, to: ClockOnly): string {
  const [day = '', clock] = text.split('T', 2);
  if (to.allDay) return day;
  return clock === undefined || clock === from.clock ? `${day}T${to.clock}` : text;
}

/** What the file says of single dates now that it did not say before. What it says no more is as the others again. */
function datesThatChange(
  before: SaidSeries,
  after: SaidSeries,
  { wasHours, hours }: { wasHours: Hours; hours: Hours },
): DateChange[] {
  const was = new Map(
    before.series.changedDates.map(({ date, change }) => [dateOnClock(date, wasHours, hours), change]),
  );
  const is = new Map(after.series.changedDates.map(({ date, change }) => [date, change]));
  const changed = [...new Set([...was.keys(), ...is.keys()])].flatMap((date) => {
    const [said, says] = [was.get(date) ?? {}, is.get(date) ?? {}] as Record<string, unknown>[];
    const names = Object.keys(says ?? {}).filter((name) => !isDeepStrictEqual(said?.[name], says?.[name]));
    const reset = Object.keys(said ?? {}).filter((name) => !(says && name in says));
    if (names.length + reset.length === 0) return [];
    const change = Object.fromEntries(names.map((name) => [name, says?.[name]]));
    return [
      { date, change, reset: reset.map((name) => (name === 'location' ? 'address' : name)) } as DateChange,
    ];
  });
  // A date that is in the file again takes place again.
  const returned = onClock(before.series.excludedDates, wasHours, hours)
    .filter((date) => !after.series.excludedDates.includes(date) && !changed.some((one) => one.date === date))
    .map((date) => ({ date, change: {}, reset: ['status' as const] }));
  return [...changed, ...returned].sort((a, b) => (a.date < b.date ? -1 : 1));
}

/** The dates of a part of a series that was split here: from the first one on, before the other one. Null for all of them. */
type Range = { from: LocalTime; before: LocalTime | null } | null;

const isWithin = (date: LocalTime, range: Range): boolean =>
  !range || (compare(date, range.from) >= 0 && (!range.before || compare(date, range.before) < 0));

/**
 * The dates of a series here after the change.
 * @throws Problem `invalid_request` for dates that overlap
 */
export function scheduleAfter(before: Schedule, change: SeriesChange, range: Range): Schedule {
  const retimed = change.hours ? withHours(before, change.hours) : before;
  const ruled = change.rule ? withRule(retimed, change.rule) : retimed;
  const here = hereOf(ruled, change);
  const isIn = (text: string) => {
    const date = readDate(text, ruled.allDay);
    return date !== null && isWithin(date, range);
  };
  const apply = (dates: string[], { added, removed }: Delta) => {
    const gone = new Set(removed.map(here));
    return [...new Set([...dates.filter((date) => !gone.has(date)), ...added.map(here).filter(isIn)])].sort();
  };
  const texts = ruled.extra.map((date) => formatDate(date, ruled.allDay));
  const after = {
    ...ruled,
    extra: apply(texts, change.extra).flatMap((text) => readDate(text, ruled.allDay) ?? []),
    excluded: new Set(apply([...ruled.excluded], change.excluded)),
  };
  if (change.rule || change.hours) requireNoOverlap(after, 'endAt');
  return after;
}

/** Gives the dates of the file the time that the series has here. */
const hereOf =
  ({ first, allDay }: Schedule, { clock }: Pick<SeriesChange, 'clock'>) =>
  (date: string) =>
    dateOnClock(date, { clock }, { clock: clockOfDate(first), allDay });

/** What single dates have of their own, by their dates here. */
export const datesHere = (schedule: Schedule, change: SeriesChange, range: Range): DateChange[] => {
  const here = hereOf(schedule, change);
  return change.dates
    .map((one) => ({ ...one, date: here(one.date) }))
    .filter((one) => {
      const date = readDate(one.date, schedule.allDay);
      return date === null || isWithin(date, range);
    });
};

function withHours(schedule: Schedule, { clock, length, timezone, allDay }: Hours): Schedule {
  const { first, rule } = schedule;
  const from = { clock: clockOfDate(first) };
  const to = { clock, allDay };
  const move = (text: string) => dateOnClock(text, from, to);
  const moved = (date: LocalTime) =>
    readDate(move(formatDate(date, schedule.allDay)), allDay) ??
    date.withPlainTime(allDay ? undefined : clock);
  return {
    ...schedule,
    ...{ timezone, allDay, first: moved(first), extra: schedule.extra.map(moved) },
    rule: { ...rule, until: rule.until?.withPlainTime('23:59:59') ?? null },
    excluded: new Set([...schedule.excluded].map(move)),
    deleted: new Set([...schedule.deleted].map(move)),
    length: Temporal.Duration.from(length),
  };
}

function withRule(schedule: Schedule, { rrule, first }: { rrule: string; first: string }): Schedule {
  const rule = parseRule(rrule, clockOf(schedule));
  const begin = Temporal.PlainDate.from(first).toPlainDateTime(schedule.first.toPlainTime());
  // The end is one of the dates of the file, whose time may be another one here.
  return {
    ...schedule,
    rule: { ...rule, until: rule.until?.withPlainTime('23:59:59') ?? null },
    first: begin,
  };
}

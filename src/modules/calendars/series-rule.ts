/** RRULE and EXDATE of a series. */
import { datesOf, formatRule, lastDateOf, type Rule, type Weekday } from '#recurrence';
import { isUtc } from '../../lib/time-zones.ts';
import { clockOf, formatDate, instantOf, type LocalTime, type Schedule } from '../events/series/schedule.ts';

type Part = {
  /** The date at which the rule begins here, after dates that are written for themselves. */
  begin: LocalTime;
  /** Where the rule ends for a reader; null for its own end. */
  last: LocalTime | null;
  /** Dates of the rule that are no dates of the series, or entries of their own. */
  excluded: LocalTime[];
  /** Whether a date follows those that exist. */
  isLater: (date: string) => boolean;
};

export type RepeatingLines = {
  lines: string;
  /** Parameters and value of a property that names a date. */
  form: (date: LocalTime) => string;
  /** Beginnings of the observances of the zone that programs need. */
  times: Temporal.ZonedDateTime[];
};

export function repeatingLines(schedule: Schedule, part: Part): RepeatingLines {
  const { timezone } = clockOf(schedule);
  const { allDay, excluded, deleted } = schedule;
  const hasZone = !allDay && !isUtc(timezone);
  const parameters = allDay ? ';VALUE=DATE' : hasZone ? `;TZID=${timezone}` : '';
  const textOf = (date: LocalTime) => compact(date, allDay) + (allDay || hasZone ? '' : 'Z');
  const texts = part.excluded.map(textOf);
  if (!part.last) texts.push(...laterExcluded([...excluded, ...deleted], schedule, part).map(textOf));
  const exdates = texts.length === 0 ? '' : `\r\nEXDATE${parameters}:${texts.join()}`;
  const rule = ruleFrom(schedule, part);
  return {
    lines: `RRULE:${formatRule(rule, clockOf(schedule))}${exdates}`,
    form: (date) => `${parameters}:${textOf(date)}`,
    times: hasZone ? observancesOf(rule, part.begin, timezone) : [],
  };
}

const compact = (date: LocalTime, allDay: boolean): string =>
  (allDay ? date.toPlainDate().toString() : date.toString({ smallestUnit: 'second' })).replaceAll(
    /[-:]/g,
    '',
  );

/** Dates beyond those that exist that will not be made. */
function laterExcluded(texts: string[], { rule, first, allDay }: Schedule, { isLater }: Part): LocalTime[] {
  return texts
    .filter(isLater)
    .sort()
    .flatMap((text) => {
      const at = allDay ? Temporal.PlainDate.from(text).toPlainDateTime() : Temporal.PlainDateTime.from(text);
      const [date] = datesOf(rule, first, { from: at, limit: 1 });
      return date && formatDate(date, allDay) === text ? [date] : [];
    });
}

const maxCount = 1_000;

/** The rule as it is from a date of it on. */
function ruleFrom({ rule, first, timezone, allDay }: Schedule, { begin, last }: Part): Rule {
  const { count, byWeekNo, byDay } = rule;
  const passed = count === null ? 0 : datesOf(rule, first, { before: begin, limit: maxCount }).length;
  const end = last ?? (rule.until && lastDateOf(rule, first));
  return {
    ...rule,
    count: count === null || last ? null : count - passed,
    until: end && endOf(end, begin, allDay ? null : timezone),
    // Some programs take all days of the week.
    byDay: byWeekNo.length > 0 && byDay.length === 0 ? [{ day: weekdayOf(first), n: null }] : byDay,
  };
}

const weekdayOf = (date: LocalTime): Weekday =>
  (['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const)[date.dayOfWeek - 1] ?? 'MO';

/** Some programs compare UNTIL with dates in the offset of the first one. No date follows within half a day. */
const endOf = (last: LocalTime, begin: LocalTime, timezone: string | null): LocalTime =>
  timezone !== null && offsetAt(last, timezone) !== offsetAt(begin, timezone)
    ? last.add({ hours: 12 })
    : last;

const zoned = (date: LocalTime, timezone: string): Temporal.ZonedDateTime =>
  instantOf(date, timezone).toTemporalInstant().toZonedDateTimeISO(timezone);
const offsetAt = (date: LocalTime, timezone: string): number => zoned(date, timezone).offsetNanoseconds;

/** A rule without end needs a description of its zone for years ahead. */
const yearsAhead = 10;

function observancesOf({ until }: Rule, begin: LocalTime, timezone: string): Temporal.ZonedDateTime[] {
  const most = begin.add({ years: yearsAhead });
  const end = zoned(until && Temporal.PlainDateTime.compare(until, most) < 0 ? until : most, timezone);
  const times: Temporal.ZonedDateTime[] = [];
  for (let at: Temporal.ZonedDateTime | null = zoned(begin, timezone); at; ) {
    if (Temporal.ZonedDateTime.compare(at, end) > 0) break;
    times.push(at);
    at = at.getTimeZoneTransition('next');
  }
  return times;
}

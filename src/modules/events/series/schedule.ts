/**
 * When the occurrences of a series take place. Dates are local times in the zone of the series; the zone turns them into instants
 * (`Temporal`, `compatible`: a time that clocks skip moves forward by the gap, and one that occurs twice is the first).
 */
import { type Clock, datesOf, lastDateOf, parseRule, type Rule, RuleError } from '#recurrence';
import { invalid } from '../../../lib/errors.ts';
import { knownZone, timeIn } from '../../../lib/time-zones.ts';
import type { EventFields } from '../event-fields.ts';

export type LocalTime = Temporal.PlainDateTime;

/** `length`: from the start to the end; `closesBefore`: from the deadline for answers to the start. Both by the clocks of the zone. */
export type Schedule = {
  timezone: string;
  allDay: boolean;
  rule: Rule;
  /** The first date, from which the rule counts. */
  first: LocalTime;
  /** Dates beside those of the rule, ascending. */
  extra: LocalTime[];
  /** As `formatDate` writes them. `deleted`: the dates of occurrences that were deleted singly, which no rule brings back. */
  excluded: Set<string>;
  deleted: Set<string>;
  length: Temporal.Duration;
  closesBefore: Temporal.Duration | null;
};

export type Times = Pick<EventFields, 'startAt' | 'endAt' | 'rsvpUntil' | 'timezone' | 'allDay'>;
/** An occurrence as the schedule has it. `date`: its identity. */
export type PlannedDate = { date: string; times: Times };

export const clockOf = ({ timezone, allDay }: Pick<EventFields, 'timezone' | 'allDay'>): Clock => ({
  timezone: knownZone(timezone),
  isDates: allDay,
});

/** The identity of an occurrence: `2026-12-01T18:00`, or of all-day events `2026-12-01`. */
export const formatDate = (date: LocalTime, allDay: boolean): string =>
  allDay ? date.toPlainDate().toString() : date.toString({ smallestUnit: 'minute' });

/** Reads what `formatDate` writes. Null for other texts. */
export function readDate(text: string, allDay: boolean): LocalTime | null {
  try {
    const date = allDay ? Temporal.PlainDate.from(text).toPlainDateTime() : Temporal.PlainDateTime.from(text);
    return formatDate(date, allDay) === text ? date : null;
  } catch {
    return null;
  }
}

export const localTime = (at: Date, timezone: string): LocalTime => timeIn(at, timezone).toPlainDateTime();

/** How much later a local time is than another, in days and hours. */
export const clockBetween = (from: LocalTime, to: LocalTime): Temporal.Duration =>
  from.until(to, { largestUnit: 'day' });

/** The schedule of the event that is its first date. */
export function scheduleOfEvent(
  event: EventFields,
  rule: Rule,
  { extra, excluded }: Pick<Schedule, 'extra' | 'excluded'>,
): Schedule {
  const { timezone, allDay, startAt, endAt, rsvpUntil } = event;
  const first = localTime(startAt, timezone);
  return {
    ...{ timezone, allDay, rule, first, extra, excluded, deleted: new Set<string>() },
    length: clockBetween(first, localTime(endAt, timezone)),
    closesBefore: rsvpUntil && clockBetween(localTime(rsvpUntil, timezone), first),
  };
}

/** The times of the occurrence of a date. */
export function timesOf(schedule: Schedule, date: LocalTime): Times {
  const { timezone, allDay, length, closesBefore } = schedule;
  const startAt = instantOf(date, timezone);
  // Of a date that clocks skip, the length counts from the time to which it moves.
  const start = localTime(startAt, timezone);
  return {
    ...{ startAt, timezone, allDay },
    endAt: instantAfter(start.add(length), startAt, timezone),
    rsvpUntil: closesBefore && instantOf(start.subtract(closesBefore), timezone),
  };
}

export const instantOf = (time: LocalTime, timezone: string): Date =>
  new Date(time.toZonedDateTime(knownZone(timezone), { disambiguation: 'compatible' }).epochMilliseconds);

/** The instant of a local time that lies after another instant: in the hour that repeats, that is the second one. */
function instantAfter(time: LocalTime, after: Date, timezone: string): Date {
  const first = instantOf(time, timezone);
  if (first > after) return first;
  const later = time.toZonedDateTime(knownZone(timezone), { disambiguation: 'later' }).epochMilliseconds;
  return new Date(Math.max(later, after.getTime() + 1));
}

type Range = { from?: LocalTime; before?: LocalTime; limit: number };

/** The dates of the rule and the extra ones, without those that are excluded, ascending. */
export function datesIn(schedule: Schedule, { from, before, limit }: Range): LocalTime[] {
  const { rule, first, extra, excluded, deleted, allDay } = schedule;
  const isIn = (date: LocalTime) =>
    (!from || compare(date, from) >= 0) && (!before || compare(date, before) < 0);
  const ruled = datesOf(rule, first, {
    ...(from && { from }),
    ...(before && { before }),
    limit: limit + excluded.size + deleted.size,
  });
  const byDate = new Map([...ruled, ...extra.filter(isIn)].map((date) => [formatDate(date, allDay), date]));
  return [...byDate]
    .filter(([date]) => !excluded.has(date) && !deleted.has(date))
    .map(([, date]) => date)
    .sort(compare)
    .slice(0, limit);
}

/** Whether the schedule has a date, which is not excluded. */
export const hasDate = (schedule: Schedule, date: LocalTime): boolean =>
  datesIn(schedule, { from: date, before: date.add({ minutes: 1 }), limit: 1 }).length > 0;

export const compare = Temporal.PlainDateTime.compare;

/** Years have four digits in responses. */
const lastInstant = new Date('9999-12-31T23:59:59.999Z');

/** Ended dates between the time from which dates are searched and now: fewer, because no date overlaps the next one. */
const endedDates = 10;

/** The dates that have not ended, ascending. */
export function comingDates(schedule: Schedule, now: Date, limit: number): PlannedDate[] {
  const { timezone, allDay, length } = schedule;
  const from = localTime(now, timezone).subtract(length).subtract({ days: 2 });
  return datesIn(schedule, { from, limit: limit + endedDates })
    .map((date) => ({ date: formatDate(date, allDay), times: timesOf(schedule, date) }))
    .filter(({ times }) => times.endAt > now && times.endAt <= lastInstant)
    .slice(0, limit);
}

/** The last date, extra ones included; null for a series without end, and for one without any date. */
export function lastDate(schedule: Schedule): LocalTime | null {
  const { rule, first } = schedule;
  if (rule.count === null && rule.until === null) return null;
  const end = [lastDateOf(rule, first), ...schedule.extra].filter((date) => date !== null);
  const last = end.sort(compare).at(-1);
  return last ? lastDateBefore(schedule, last.add({ minutes: 1 })) : null;
}

/** The last date before a time; null if there is none. Looks at a year at a time, so a long series costs no more than its last years. */
export function lastDateBefore(schedule: Schedule, before: LocalTime): LocalTime | null {
  const begin = [schedule.first, ...schedule.extra].reduce((a, b) => (compare(a, b) <= 0 ? a : b));
  for (let end = before; compare(end, begin) > 0; end = end.subtract({ years: 1 })) {
    const from = end.subtract({ years: 1 });
    const found = datesIn(schedule, { from, before: end, limit: datesOfYear }).at(-1);
    if (found) return found;
  }
  return null;
}

const datesOfYear = 366 + 500;

/** Dates that are compared with their successors: those of a rule repeat within them, for the rules that people use. */
const comparedDates = 400;

/**
 * Requires that each occurrence ends before the next one of the rule begins.
 * @param path the field of the request that can mend it
 * @throws Problem `invalid_request`
 */
export function requireNoOverlap(schedule: Schedule, path: string): void {
  const dates = datesOf(schedule.rule, schedule.first, { limit: comparedDates });
  const overlap = dates.find((date, i) => {
    const next = dates[i + 1];
    return next && compare(date.add(schedule.length), next) > 0;
  });
  if (overlap)
    throw invalid(
      path,
      'gives dates that overlap: the event is longer than the time from one date to the next',
    );
}

/** Reads the rule of a request. @throws Problem `invalid_request` at `rrule` that names the part */
export function readRule(text: string, clock: Clock): Rule {
  try {
    return parseRule(text, clock);
  } catch (error) {
    if (error instanceof RuleError) throw invalid('rrule', `is refused: ${error.message}`);
    throw error;
  }
}

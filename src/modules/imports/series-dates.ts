/** The dates of a series in a file: as local dates of a series here, and as single events where no series can have them. */

import { dayMs, hourMs } from '#base';
import { datesOfAnyRule } from '#recurrence';
import { maxComing } from '../events/series/planned-dates.ts';
import { compare, instantOf, type LocalTime, localTime } from '../events/series/schedule.ts';
import type { ChosenEntry } from './choose-dates.ts';
import { dateKey, keyZone } from './date-keys.ts';
import { type EntryPeriod, type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';

/** Where and when the dates of a series are. `clock`: the time of day of each. */
export type Frame = { timezone: string; allDay: boolean; clock: Temporal.PlainTime };

/**
 * The local date of a time, whatever its zone is. A time that is the instant of a regular date of its day is that date, also where
 * clocks skip it. A date without a time is the one of its day.
 */
export function localDateOf(
  time: EntryTime,
  { timezone, allDay, clock }: Frame,
  calendar: Calendar,
): LocalTime {
  if (time.isDate) return time.local.withPlainTime(allDay ? undefined : clock);
  const at = Math.floor(toInstant(time, timezone, calendar) / 60_000) * 60_000;
  const local = localTime(new Date(at), timezone);
  if (allDay) return local.withPlainTime();
  const regular = local.withPlainTime(clock);
  return instantOf(regular, timezone).getTime() === at ? regular : local;
}

/** The next dates of a series as periods of single events: at most as many as a series has ahead. */
export function nextPeriods(
  entry: ChosenEntry,
  { calendar, timezone, now }: { calendar: Calendar; timezone: string; now: Date },
): EntryPeriod[] {
  const { repetition, series, period } = entry;
  if (!series) return [];
  const { origin, changes, from, until } = series;
  const at = (time: EntryTime) => toInstant(time, keyZone(calendar), calendar);
  const length = lengthOf(period, at);
  const removed = new Set(repetition.removed.map((time) => dateKey(time, calendar)));
  const changed = new Set(
    changes.map((change) => dateKey(change.repetition.replaces?.time ?? change.period.start, calendar)),
  );
  const isLeft = (time: EntryTime) =>
    !removed.has(dateKey(time, calendar)) &&
    !removed.has(dayOf(time)) &&
    !changed.has(dateKey(time, calendar));
  const isIn = (time: EntryTime) => (!from || at(time) >= at(from)) && (!until || at(time) < at(until));
  const shift = from ? from.local.until(period.start.local, { largestUnit: 'day' }) : new Temporal.Duration();
  const ofRule = localsOf(entry, { timezone, now, length, limit: maxComing + removed.size + changed.size });
  const dates: EntryPeriod[] = [
    ...[origin.period.start.local, ...ofRule].map((local) => ({
      start: { ...origin.period.start, local },
      end: null,
      duration: null,
    })),
    ...repetition.added,
  ];
  const seen = new Set<string>();
  return dates
    .filter(
      ({ start }) =>
        isIn(start) &&
        isLeft(start) &&
        !seen.has(dateKey(start, calendar)) &&
        seen.add(dateKey(start, calendar)),
    )
    .filter(({ start }) => at(start) + length > now.getTime())
    .sort((a, b) => at(a.start) - at(b.start))
    .slice(0, maxComing)
    .map(({ start, end, duration }) => {
      const moved = from
        ? { ...start, local: start.local.add(shift), tzid: period.start.tzid, isDate: period.start.isDate }
        : start;
      return end || duration ? { start: moved, end, duration } : movePeriod(period, moved, calendar);
    });
}

/** The local dates of the rule, from about now on. */
function localsOf(
  { repetition: { rule }, series }: ChosenEntry,
  { timezone, now, length, limit }: { timezone: string; now: Date; length: number; limit: number },
): LocalTime[] {
  const start = series?.origin.period.start;
  if (!start || rule === null) return [];
  const today = localTime(new Date(now.getTime() - length - 2 * dayMs), 'UTC');
  const from = compare(start.local, today) > 0 ? start.local : today;
  return (
    datesOfAnyRule(rule, start.local, { timezone, isDates: start.isDate }, { from, limit: limit + 10 }) ?? []
  );
}

const dayOf = ({ local }: EntryTime): string => local.toPlainDate().toString();

/** Milliseconds, at least one hour, or one day of a date. */
function lengthOf({ start, end, duration }: EntryPeriod, at: (time: EntryTime) => number): number {
  const length = duration?.total({ unit: 'milliseconds', relativeTo: start.local }) ?? 0;
  return Math.max(end ? at(end) - at(start) : length, start.isDate ? dayMs : hourMs);
}

/** The same length on another date: in local time, unless that date is written in another zone. */
export function movePeriod(period: EntryPeriod, start: EntryTime, calendar: Calendar): EntryPeriod {
  const { start: before, end } = period;
  if (!end) return { ...period, start };
  if (start.tzid === before.tzid)
    return { ...period, start, end: { ...end, local: end.local.add(before.local.until(start.local)) } };
  const length = lengthOf(period, (time) => toInstant(time, keyZone(calendar), calendar));
  return { start, end: null, duration: Temporal.Duration.from({ seconds: Math.round(length / 1_000) }) };
}

/** The dates of a series in a file: as local dates of a series here, and as single events where no series can have them. */

import { dayMs, hourMs, mapInTurns, minuteMs, runInTurn } from '#base';
import { datesOfAnyRule } from '#recurrence';
import { withDefaults } from '../events/event-rules.ts';
import type { NewEvent } from '../events/schemas.ts';
import { maxComing } from '../events/series/planned-dates.ts';
import { compare, instantOf, type LocalTime, localTime, type Schedule } from '../events/series/schedule.ts';
import { readSchedule } from '../series/read-series.ts';
import type { Repetition } from '../series/schemas.ts';
import type { ChosenEntry } from './choose-dates.ts';
import { dateKey, keyZone } from './date-keys.ts';
import { type EntryPeriod, type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';

/** Where and when the dates of a series are. `clock`: the time of day of each. */
export type Frame = { timezone: string; allDay: boolean; clock: Temporal.PlainTime };

/** The dates of a series whose first event is given. @throws Problem `invalid_request` for dates that it cannot have */
export const scheduleOfFirst = (
  { status: _, ...event }: NewEvent & { status?: unknown },
  dates: Repetition,
): Schedule => readSchedule(withDefaults(event), dates, 'startAt');

/** The local date of an instant. One that is the instant of the regular date of its day is that date, also where clocks skip it. */
export function dateAt(at: Date, { timezone, allDay, clock }: Frame): LocalTime {
  const local = localTime(at, timezone);
  if (allDay) return local.withPlainTime();
  const regular = local.withPlainTime(clock);
  return instantOf(regular, timezone).getTime() === at.getTime() ? regular : local;
}

/** The local date of a time in any zone. A date without a time is the one of its day. */
export function localDateOf(time: EntryTime, frame: Frame, calendar: Calendar): LocalTime {
  if (time.isDate) return time.local.withPlainTime(frame.allDay ? undefined : frame.clock);
  const minute = Math.floor(toInstant(time, frame.timezone, calendar) / minuteMs);
  return dateAt(new Date(minute * minuteMs), frame);
}

/** The next dates of a series as periods of single events: at most as many as a series has ahead. */
export async function nextPeriods(
  entry: ChosenEntry,
  { calendar, timezone, now }: { calendar: Calendar; timezone: string; now: Date },
): Promise<EntryPeriod[]> {
  const { repetition, series, period } = entry;
  if (!series) return [];
  const { origin, changes, from, until } = series;
  const keyOf = (time: EntryTime) => dateKey(time, calendar);
  const at = (time: EntryTime) => toInstant(time, keyZone(calendar), calendar);
  const length = lengthOf(period, at);
  const removed = new Set(await mapInTurns(repetition.removed, keyOf));
  const changed = await mapInTurns(changes, (change) =>
    keyOf(change.repetition.replaces?.time ?? change.period.start),
  );
  const limit = maxComing + removed.size + changed.length;
  const ofRule = await runInTurn(() => localsOf(entry, { timezone, now, length, limit }));
  const plain = [origin.period.start.local, ...ofRule].map((local) => ({
    ...{ start: { ...origin.period.start, local }, end: null, duration: null },
  }));
  const timed = await mapInTurns([...plain, ...repetition.added], (date) => ({
    ...{ date, key: keyOf(date.start), at: at(date.start) },
  }));
  const left = new Set(changed);
  const [begin, end] = [from ? at(from) : -Infinity, until ? at(until) : Infinity];
  const isNext = ({ date, key, at }: (typeof timed)[number]) =>
    at >= begin &&
    at < end &&
    at + length > now.getTime() &&
    !removed.has(key) &&
    !removed.has(dayOf(date.start)) &&
    !left.has(key);
  const next = new Map(timed.filter(isNext).map((one) => [one.key, one]));
  const shift = from ? from.local.until(period.start.local, { largestUnit: 'day' }) : null;
  return [...next.values()]
    .sort((a, b) => a.at - b.at)
    .slice(0, maxComing)
    .map(({ date: { start, end, duration } }) => {
      const { tzid, isDate } = period.start;
      const moved = shift ? { ...start, local: start.local.add(shift), tzid, isDate } : start;
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

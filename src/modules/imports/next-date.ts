/** Which date of a series becomes an event: the next coming one, or if all are over the last. */
import { dayMs, hourMs } from '#base';
import { dateKey, keyZone } from './date-keys.ts';
import { type EntryPeriod, type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';
import type { CalendarEntry } from './parse-entry.ts';
import { datesOf } from './repeat-dates.ts';

/** What is known of a series besides its entry. */
export type Series = {
  calendar: Calendar;
  now: Date;
  /** The dates that other entries replace. */
  changedDates: Set<string>;
  changes: CalendarEntry[];
  /** Whether no other entry of the UID has a date of its own. */
  isOne: boolean;
};

/** @returns null if no date is left, and `changed` if the next date is an entry of its own */
export function nextDate(
  { period, repetition }: CalendarEntry,
  { calendar, now, changedDates, changes }: Series,
): EntryTime | 'changed' | null {
  const key = (time: EntryTime) => dateKey(time, calendar);
  const at = (time: EntryTime) => toInstant(time, keyZone(calendar), calendar);
  const removed = new Set(repetition.removed.map(key));
  const removedDays = new Set(
    repetition.removed.filter(({ isDate }) => isDate).map(({ local }) => dayOf(local)),
  );
  const isLeft = (time: EntryTime) =>
    !removed.has(key(time)) && !removedDays.has(dayOf(time.local)) && !changedDates.has(key(time));
  const isComing = (time: EntryTime) => at(time) + lengthOf(period, at) > now.getTime();
  const today = now.toTemporalInstant().toZonedDateTimeISO('UTC').toPlainDate();
  const { rule, added } = repetition;
  const locals = rule
    ? datesOf(rule, period.start.local, today, (local) => at({ ...period.start, local }))
    : [period.start.local];
  const ofRule = pick(toTimes(locals, period.start), isLeft, isComing);
  const ofAdded = pick(
    added.toSorted((a, b) => at(a) - at(b)),
    isLeft,
    isComing,
  );
  const byTime = (times: (EntryTime | null)[]) =>
    times.filter((time) => time !== null).sort((a, b) => at(a) - at(b));
  const next =
    byTime([ofRule.coming, ofAdded.coming])[0] ?? byTime([ofRule.last, ofAdded.last]).at(-1) ?? null;
  const isChangedNext = changes.some(
    ({ status, period: { start } }) =>
      status !== 'cancelled' && isComing(start) && (next === null || !isComing(next) || at(start) < at(next)),
  );
  return isChangedNext ? 'changed' : next;
}

function* toTimes(locals: Iterable<Temporal.PlainDateTime>, start: EntryTime): Generator<EntryTime> {
  for (const local of locals) yield { ...start, local };
}

/** The first coming time, and the last of those before it. @param times in their order */
function pick(
  times: Iterable<EntryTime>,
  isLeft: (time: EntryTime) => boolean,
  isComing: (time: EntryTime) => boolean,
): { coming: EntryTime | null; last: EntryTime | null } {
  let last: EntryTime | null = null;
  for (const time of times) {
    if (!isLeft(time)) continue;
    if (isComing(time)) return { coming: time, last };
    last = time;
  }
  return { coming: null, last };
}

const dayOf = (local: Temporal.PlainDateTime): string => local.toPlainDate().toString();

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
  return { start, end: null, duration: Temporal.Duration.from({ seconds: Math.round(length / 1000) }) };
}

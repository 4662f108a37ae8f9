/**
 * The dates of rules that `parseRule` refuses: with times (`HOURLY`, `BYHOUR`), with both `COUNT` and `UNTIL`, or with larger numbers.
 * Calendars of other programs have them.
 */

import { maxGapDays } from './dates.ts';
import { dayNumberOf, modulo, toDateTime } from './day-numbers.ts';
import { Expansion, lastDayEver } from './expansion.ts';
import { parseRule } from './parse.ts';
import { type Clock, type Rule, RuleError } from './rule.ts';
import { parseUntil } from './until.ts';

type DateTime = Temporal.PlainDateTime;
const daySeconds = 86_400;
const secondsOf = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 } as const;
type Times = { hours: number[] | null; minutes: number[] | null; seconds: number[] | null };
/** `step`: seconds of a rule that repeats within a day; null for one of days. */
type AnyRule = Times & {
  days: Rule;
  step: number | null;
  interval: number;
  count: number;
  until: DateTime | null;
};

/** Days and times that a call looks at. */
const maxLooked = 50_000;
const bounds = { listed: 400, amount: 1_000_000 };

/**
 * The dates of any rule of RFC 5545, in ascending order, from a time on. They end as those of `datesOf`, and after a bounded number of
 * steps.
 * @returns null for a rule that cannot be read
 */
export function datesOfAnyRule(
  text: string,
  first: DateTime,
  clock: Clock,
  { from, limit }: { from: DateTime; limit: number },
): DateTime[] | null {
  const rule = parseAnyRule(text, clock);
  if (!rule) return null;
  const [begin, earliest] = [totalOf(first), totalOf(from)];
  const end = rule.until ? totalOf(rule.until) : Infinity;
  const firstDay = Number.isFinite(rule.count)
    ? dayNumberOf(first)
    : Math.max(dayNumberOf(first), dayNumberOf(from));
  const dates: DateTime[] = [];
  const budget = { left: maxLooked };
  let [n, last] = [0, Math.max(firstDay, dayNumberOf(from))];
  for (const day of new Expansion(rule.days, first).up(firstDay, lastDayEver)) {
    if (day > last + maxGapDays) break;
    for (const second of timesOfDay(rule, day - dayNumberOf(first), first, budget)) {
      const total = day * daySeconds + second;
      if (total < begin) continue;
      if (total > end || n++ >= rule.count) return dates;
      if (total < earliest) continue;
      dates.push(toDateTime(day, timeOf(second)));
      last = day;
      if (dates.length >= limit) return dates;
    }
    if (--budget.left < 0) break;
  }
  return dates;
}

function parseAnyRule(text: string, clock: Clock): AnyRule | null {
  // Of a part that stands twice, the last one.
  const parts = new Map(
    text
      .toUpperCase()
      .split(';', 30)
      .map((part) => part.trim().split('=', 2) as [string, string]),
  );
  try {
    return readParts(parts, clock);
  } catch (error) {
    if (error instanceof RuleError) return null;
    throw error;
  }
}

type Parts = ReadonlyMap<string, string>;

/** @throws RuleError */
function readParts(parts: Parts, clock: Clock): AnyRule {
  const freq = parts.get('FREQ') ?? '';
  const step = freq in secondsOf ? secondsOf[freq as keyof typeof secondsOf] : null;
  const times = {
    hours: timesIn(parts, 'BYHOUR', 23),
    minutes: timesIn(parts, 'BYMINUTE', 59),
    seconds: timesIn(parts, 'BYSECOND', 59),
  };
  const hasTimes = step !== null || Object.values(times).some((list) => list !== null);
  if (hasTimes && parts.has('BYSETPOS')) throw new RuleError('BYSETPOS', 'is beside times');
  if ((parts.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN')
    throw new RuleError('RSCALE', 'is another calendar than the Gregorian one');
  const until = parts.get('UNTIL');
  return {
    ...{ ...times, step },
    days: parseRule(ruleOfDays(parts, freq, step !== null), clock, bounds),
    interval: amountOf(parts.get('INTERVAL'), 1),
    count: amountOf(parts.get('COUNT'), Infinity),
    until: until === undefined ? null : parseUntil(until, clock),
  };
}

function timesIn(parts: Parts, name: string, max: number): number[] | null {
  const numbers = parts.get(name)?.split(',', bounds.listed).map(Number);
  if (!numbers) return null;
  if (!numbers.every((number) => Number.isInteger(number) && number >= 0 && number <= max))
    throw new RuleError(name, `has to be from 0 to ${max}`);
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** The rule without times and without an end. */
function ruleOfDays(parts: Parts, freq: string, isWithinDay: boolean): string {
  const days = new Map(parts);
  for (const name of ['BYHOUR', 'BYMINUTE', 'BYSECOND', 'RSCALE', 'SKIP', 'COUNT', 'UNTIL', ''])
    days.delete(name);
  if (isWithinDay) {
    days.set('FREQ', 'DAILY');
    days.delete('INTERVAL');
  }
  // Numbers of weekdays mean nothing in a week or a day.
  const weekdays = days.get('BYDAY');
  if (weekdays && !['MONTHLY', 'YEARLY'].includes(freq))
    days.set('BYDAY', weekdays.replaceAll(/[+-]?\d+/g, ''));
  return [...days].map((part) => part.join('=')).join(';');
}

function amountOf(text: string | undefined, absent: number): number {
  if (text === undefined) return absent;
  if (!/^0*[1-9]\d{0,8}$/.test(text)) throw new RuleError('RRULE', 'has an amount that is no number');
  return Number(text);
}

type Budget = { left: number };

/** The seconds of a day at which the rule has a date. @param days since the first date */
function* timesOfDay(rule: AnyRule, days: number, first: DateTime, budget: Budget): Generator<number> {
  const { hours, minutes, seconds, step, interval } = rule;
  if (step === null) {
    for (const hour of hours ?? [first.hour])
      for (const minute of minutes ?? [first.minute])
        for (const second of seconds ?? [first.second]) {
          if (--budget.left < 0) return;
          yield (hour * 60 + minute) * 60 + second;
        }
    return;
  }
  // Of a step of an hour, the minute and the second come from the first date, unless the rule lists them.
  const minutesIn = step > 60 ? (minutes ?? [first.minute]) : null;
  const secondsIn = step > 1 ? (seconds ?? [first.second]) : null;
  // Steps from the first date to midnight.
  const steps = (days * daySeconds) / step - Math.floor(secondsOfDay(first) / step);
  for (let at = modulo(-steps, interval) * step; at < daySeconds; at += interval * step) {
    if (--budget.left < 0) return;
    const [hour, minute, second] = [Math.floor(at / 3600), Math.floor(at / 60) % 60, at % 60];
    if (hours && !hours.includes(hour)) continue;
    if (!minutesIn && minutes && !minutes.includes(minute)) continue;
    if (!secondsIn && seconds && !seconds.includes(second)) continue;
    for (const m of minutesIn ?? [minute])
      for (const s of secondsIn ?? [second]) {
        if (--budget.left < 0) return;
        yield (hour * 60 + m) * 60 + s;
      }
  }
}

const secondsOfDay = (at: DateTime): number => (at.hour * 60 + at.minute) * 60 + at.second;
const totalOf = (at: DateTime): number => dayNumberOf(at) * daySeconds + secondsOfDay(at);
const timeOf = (second: number): Temporal.PlainTime =>
  new Temporal.PlainTime(Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60);

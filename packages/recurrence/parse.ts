/** Parses and checks the value of an RRULE (RFC 5545, 3.3.10). */
import {
  type Clock,
  frequencies,
  type NumberedWeekday,
  type Rule,
  RuleError,
  type Weekday,
  weekdays,
} from './rule.ts';
import { parseUntil } from './until.ts';

const maxLength = 500;
/** How many values a list has at most, and how large INTERVAL and COUNT are. */
type Bounds = { listed: number; amount: number };
const ofSeries: Bounds = { listed: 31, amount: 1000 };

/** The parts with numbers: the largest value, and whether it may count from the end. */
const numberLists = {
  BYMONTH: { max: 12, isSigned: false },
  BYWEEKNO: { max: 53, isSigned: true },
  BYYEARDAY: { max: 366, isSigned: true },
  BYMONTHDAY: { max: 31, isSigned: true },
  BYSETPOS: { max: 366, isSigned: true },
};
type NumberList = keyof typeof numberLists;

const names = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST', ...Object.keys(numberLists)];
/** Parts of RFC 5545 and RFC 7529 that rules here do not have. */
const unsupported = ['BYHOUR', 'BYMINUTE', 'BYSECOND', 'RSCALE', 'SKIP'];

/** @throws RuleError */
export function parseRule(text: string, clock: Clock, bounds = ofSeries): Rule {
  const parts = splitParts(text);
  const numbers = (part: NumberList) => parseNumbers(part, parts, bounds);
  const until = parts.get('UNTIL');
  const rule: Rule = {
    freq: parseName('FREQ', parts.get('FREQ'), frequencies),
    interval: parseAmount('INTERVAL', parts, bounds) ?? 1,
    count: parseAmount('COUNT', parts, bounds),
    until: until === undefined ? null : parseUntil(until, clock),
    byDay: parseWeekdays(parts.get('BYDAY'), bounds),
    byMonthDay: numbers('BYMONTHDAY'),
    byMonth: numbers('BYMONTH'),
    bySetPos: numbers('BYSETPOS'),
    byYearDay: numbers('BYYEARDAY'),
    byWeekNo: numbers('BYWEEKNO'),
    wkst: parts.has('WKST') ? parseName('WKST', parts.get('WKST'), weekdays) : 'MO',
  };
  refuseCombinations(rule);
  return rule;
}

function splitParts(text: string): Map<string, string> {
  if (text.length > maxLength) throw new RuleError('RRULE', `is longer than ${maxLength} characters`);
  const parts = new Map<string, string>();
  for (const each of text.toUpperCase().split(';')) {
    const [, name, value] = /^([A-Z-]{1,20})=(.+)$/.exec(each) ?? [];
    if (!name || !value) throw new RuleError('RRULE', 'has to consist of parts such as FREQ=WEEKLY');
    if (unsupported.includes(name)) throw new RuleError(name, 'is not supported');
    if (!names.includes(name)) throw new RuleError(name, 'is no part of a rule');
    if (parts.has(name)) throw new RuleError(name, 'stands twice');
    parts.set(name, value);
  }
  return parts;
}

function parseName<Name extends string>(
  part: string,
  value: string | undefined,
  allowed: readonly Name[],
): Name {
  const name = allowed.find((each) => each === value);
  if (!name) throw new RuleError(part, `has to be one of ${allowed.join(', ')}`);
  return name;
}

function parseAmount(
  part: 'INTERVAL' | 'COUNT',
  parts: Map<string, string>,
  { amount: max }: Bounds,
): number | null {
  const value = parts.get(part);
  if (value === undefined) return null;
  const amount = /^\d+$/.test(value) ? Number(value) : 0;
  if (amount < 1 || amount > max) throw new RuleError(part, `has to be from 1 to ${max}`);
  return amount;
}

function parseNumbers(part: NumberList, parts: Map<string, string>, bounds: Bounds): number[] {
  const { max, isSigned } = numberLists[part];
  const numbers = splitList(part, parts.get(part), bounds).map((each) => {
    const number = isDigits(each, isSigned) ? Number(each) : 0;
    if (number === 0 || Math.abs(number) > max)
      throw new RuleError(
        part,
        `has to have numbers from 1 to ${max}${isSigned ? `, or from -${max} to -1` : ''}`,
      );
    return number;
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

const isDigits = (text: string, isSigned: boolean): boolean =>
  (isSigned ? /^[+-]?\d{1,3}$/ : /^\d{1,3}$/).test(text);

function parseWeekdays(value: string | undefined, bounds: Bounds): NumberedWeekday[] {
  const days = new Map<string, NumberedWeekday>();
  for (const each of splitList('BYDAY', value, bounds)) {
    const [, number, name] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(each) ?? [];
    const n = number === undefined ? null : Number(number);
    const day = weekdays.find((weekday) => weekday === name);
    if (!day) throw new RuleError('BYDAY', `has to have days of the week (${weekdays.join(', ')})`);
    if (n === 0 || Math.abs(n ?? 1) > 53)
      throw new RuleError('BYDAY', 'has to have numbers from 1 to 53, or from -53 to -1');
    days.set(`${n} ${day}`, { day, n });
  }
  return [...days.values()].sort(
    (a, b) => (a.n ?? 0) - (b.n ?? 0) || indexOfWeekday(a.day) - indexOfWeekday(b.day),
  );
}

const indexOfWeekday = (day: Weekday): number => weekdays.indexOf(day);

function splitList(part: string, value: string | undefined, { listed }: Bounds): string[] {
  const list = value === undefined ? [] : value.split(',');
  if (list.length > listed) throw new RuleError(part, `has more than ${listed} values`);
  return list;
}

/** What RFC 5545 forbids. */
function refuseCombinations(rule: Rule): void {
  const { freq, byDay, byMonthDay, byMonth, byYearDay, byWeekNo, bySetPos } = rule;
  const refuseIf = (isWrong: boolean, part: string, problem: string) => {
    if (isWrong) throw new RuleError(part, problem);
  };
  const hasNumbers = byDay.some(({ n }) => n !== null);
  const isLong = freq === 'MONTHLY' || freq === 'YEARLY';
  refuseIf(rule.count !== null && rule.until !== null, 'COUNT', 'and UNTIL exclude each other');
  refuseIf(hasNumbers && !isLong, 'BYDAY', 'may have numbers with FREQ=MONTHLY and YEARLY only');
  refuseIf(hasNumbers && byWeekNo.length > 0, 'BYDAY', 'may not have numbers with BYWEEKNO');
  refuseIf(byMonthDay.length > 0 && freq === 'WEEKLY', 'BYMONTHDAY', 'is not possible with FREQ=WEEKLY');
  refuseIf(byYearDay.length > 0 && freq !== 'YEARLY', 'BYYEARDAY', 'is possible with FREQ=YEARLY only');
  refuseIf(byWeekNo.length > 0 && freq !== 'YEARLY', 'BYWEEKNO', 'is possible with FREQ=YEARLY only');
  const others = [byDay, byMonthDay, byMonth, byYearDay, byWeekNo];
  refuseIf(
    bySetPos.length > 0 && others.every((list) => list.length === 0),
    'BYSETPOS',
    'needs another part, such as BYDAY',
  );
}

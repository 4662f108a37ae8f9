/** The parts of a rule (RRULE of RFC 5545) that are read. */

/** Of a rule without a COUNT. */
export const maxCount = 1_000_000;

export type Rule = {
  frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  interval: number;
  count: number;
  /** The last date and time as text that sorts like time, in local time or with `Z` in UTC; empty for none. */
  until: string;
  months: number[] | null;
  monthDays: number[] | null;
  yearDays: number[] | null;
  /** 1 is Monday. `nth`: 0 for each of the period. */
  weekdays: { day: number; nth: number }[] | null;
  positions: number[] | null;
  weekStart: number;
};

const names = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
const supported = new Set(
  'FREQ INTERVAL COUNT UNTIL BYMONTH BYMONTHDAY BYYEARDAY BYDAY BYSETPOS WKST'.split(' '),
);

/** @returns null for a rule that is not valid, or that has parts which are not read */
export function parseRule(text: string): Rule | null {
  const parts = new Map(
    text
      .trim()
      .toUpperCase()
      .split(';', 20)
      .filter((part) => part !== '')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  if ([...parts.keys()].some((name) => !supported.has(name))) return null;
  const numbers = (name: string) => parts.get(name)?.split(',', 400).map(Number) ?? null;
  const frequency = frequencies.find((one) => one === parts.get('FREQ'));
  const weekdays = parts.get('BYDAY')?.split(',', 60).map(parseWeekday) ?? null;
  const [interval = 1] = numbers('INTERVAL') ?? [];
  const [count = maxCount] = numbers('COUNT') ?? [];
  const lists = ['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY', 'BYSETPOS'].map(numbers);
  if (!frequency || !(interval >= 1) || !(count >= 1) || weekdays?.includes(null)) return null;
  if (lists.some((list) => list?.some((number) => !Number.isInteger(number)))) return null;
  const [months = null, monthDays = null, yearDays = null, positions = null] = lists;
  return {
    frequency,
    interval: Math.trunc(interval),
    count: Math.trunc(count),
    until: parts.get('UNTIL')?.replace(/[^\dTZ]/g, '') ?? '',
    months,
    monthDays,
    yearDays,
    weekdays: weekdays as Rule['weekdays'],
    positions,
    weekStart: Math.max(0, names.indexOf(parts.get('WKST') ?? 'MO')) + 1,
  };
}

function parseWeekday(text: string): { day: number; nth: number } | null {
  const [, nth = '0', name = ''] = /^\s*([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)\s*$/.exec(text) ?? [];
  return name === '' ? null : { day: names.indexOf(name) + 1, nth: Number(nth) };
}

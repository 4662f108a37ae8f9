/** Says a rule in words, in the languages of the pages. */
import { daysInMonth } from '../day-numbers.ts';
import { withDefaults } from '../defaults.ts';
import { type NumberedWeekday, type Rule, weekdays } from '../rule.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { sv } from './sv.ts';
import type { Words } from './words.ts';

const languages: Partial<Record<string, Words>> = { en, de, sv, ar };
/** More dates in a year are said as days and months. */
const maxDates = 4;
const monday = new Temporal.PlainDate(2024, 1, 1);

/**
 * "Every month on the first Tuesday, until 31 December 2026". Of a rule for whose days there is no good sentence, it says "on
 * certain days".
 * @param language one of `en`, `de`, `sv` and `ar`, otherwise English is used
 */
export function describeRule(rule: Rule, first: Temporal.PlainDateTime, language: string): string {
  const words = languages[language] ?? en;
  const complete = withDefaults(rule, first);
  const days =
    describeWeek(complete, words) ??
    describeMonth(complete, words) ??
    `${words.every(rule.freq, rule.interval)} ${words.onSomeDays}`;
  const end = describeEnd(rule, words);
  return end ? days + words.comma + end : days;
}

function describeEnd({ count, until }: Rule, words: Words): string | null {
  if (count) return words.times(count);
  const date = until?.toPlainDate();
  return date ? words.until(format(date, words, { day: 'numeric', month: 'long', year: 'numeric' })) : null;
}

/** Of a rule with days of the week alone; of each week, whatever its frequency is. */
function describeWeek({ freq, interval, byDay, byMonth, ...rule }: Rule, words: Words): string | null {
  const others = [rule.byMonthDay, rule.byYearDay, rule.byWeekNo, rule.bySetPos];
  if (others.some((list) => list.length > 0) || byDay.some(({ n }) => n !== null)) return null;
  const isDaily = byDay.length === 0 || (byDay.length === 7 && interval === 1);
  if (interval > 1 && freq !== (isDaily ? 'DAILY' : 'WEEKLY')) return null;
  const days = isDaily ? words.every('DAILY', interval) : describeDays(byDay, interval, words);
  return withMonths(days, byMonth, words);
}

function describeDays(byDay: NumberedWeekday[], interval: number, words: Words): string {
  const names = byDay.map(({ day }) => nameOf(day, words));
  const every = words.every('WEEKLY', interval);
  if (isMondayToFriday(byDay)) return `${every} ${words.range(nameOf('MO', words), nameOf('FR', words))}`;
  return interval === 1 ? words.everyDay(names) : `${every} ${words.onDays(names)}`;
}

/** Of a rule with days of months: "Every year on 24 December", "Every month on the first Tuesday". */
function describeMonth(rule: Rule, words: Words): string | null {
  const { freq, interval, byMonth, byMonthDay, byDay } = rule;
  if (rule.byYearDay.length + rule.byWeekNo.length > 0 || freq === 'WEEKLY') return null;
  // The same days in each month, or in certain months of each year.
  const unit = byMonth.length > 0 ? 'YEARLY' : 'MONTHLY';
  if (interval > 1 && freq !== unit) return null;
  const every = words.every(unit, interval);
  const dates = datesInYear(rule);
  const isSimple = byDay.length + rule.bySetPos.length === 0 && byMonthDay.every((n) => n > 0);
  if (isSimple && dates.length > 0 && dates.length <= maxDates)
    return `${every} ${words.onDates(dates.map((date) => format(date, words, { day: 'numeric', month: 'long' })))}`;
  const days = daysOfMonth(rule, words);
  return days && withMonths(`${every} ${words.on(days)}`, byMonth, words);
}

/** @returns null without words for one of them */
function daysOfMonth(rule: Rule, words: Words): string[] | null {
  const { freq, byMonth, byMonthDay, byDay, bySetPos } = rule;
  if (byDay.length === 0)
    return bySetPos.length > 0 ? null : complete(inOrder(byMonthDay).map(words.dayOfMonth));
  if (byMonthDay.length > 0) return null;
  // A position is one in the period, which has to be a month.
  const isInMonth = freq === 'MONTHLY' || (freq === 'YEARLY' && byMonth.length === 1);
  if (bySetPos.length > 0 && isInMonth && byDay.every(({ n }) => n === null)) {
    if (byDay.length === 7) return complete(inOrder(bySetPos).map(words.dayOfMonth));
    if (isMondayToFriday(byDay)) return complete([words.numbered(inOrder(bySetPos), null)]);
    const [only] = byDay;
    return only && byDay.length === 1
      ? complete([words.numbered(inOrder(bySetPos), nameOf(only.day, words))])
      : null;
  }
  if (bySetPos.length > 0 || (freq === 'YEARLY' && byMonth.length === 0)) return null;
  const byName = [...Map.groupBy(byDay, ({ day }) => day)];
  return complete(
    byName.map(([day, list]) => {
      const numbers = list.flatMap(({ n }) => n ?? []);
      return numbers.length === list.length ? words.numbered(inOrder(numbers), nameOf(day, words)) : null;
    }),
  );
}

const complete = (texts: (string | null)[]): string[] | null => {
  const found = texts.filter((text) => text !== null);
  return found.length === texts.length ? found : null;
};

function withMonths(text: string, byMonth: number[], words: Words): string {
  if (byMonth.length === 0) return text;
  const names = byMonth.map((month) =>
    format(new Temporal.PlainDate(2024, month, 1), words, { month: 'long' }),
  );
  return `${text} ${words.inMonths(names)}`;
}

const isMondayToFriday = (byDay: NumberedWeekday[]): boolean =>
  weekdays.every((name, i) => byDay.some(({ day }) => day === name) === i < 5);

const nameOf = (day: NumberedWeekday['day'], words: Words): string =>
  format(monday.add({ days: weekdays.indexOf(day) }), words, { weekday: 'long' });

/** The dates that exist, in a leap year. */
const datesInYear = ({ byMonth, byMonthDay }: Rule): Temporal.PlainDate[] =>
  byMonth.flatMap((month) =>
    byMonthDay
      .filter((day) => day > 0 && day <= daysInMonth(2024, month))
      .map((day) => new Temporal.PlainDate(2024, month, day)),
  );

/** Those from the end last. */
const inOrder = (numbers: number[]): number[] =>
  [...numbers].sort((a, b) => Number(a < 0) - Number(b < 0) || a - b);

const format = (date: Temporal.PlainDate, { locale }: Words, options: Intl.DateTimeFormatOptions): string =>
  date.toLocaleString(locale, options);

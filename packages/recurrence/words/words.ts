/** What a language needs to say a rule. Lists are those of `Intl.ListFormat`. */
import type { Frequency } from '../rule.ts';

export type Words = {
  locale: string;
  /** "Every week", "Every 2 weeks" */
  every: (unit: Frequency, n: number) => string;
  /** "Every Monday and Friday" */
  everyDay: (days: string[]) => string;
  /** "from Monday to Friday" */
  range: (from: string, to: string) => string;
  /** "on Monday and Friday" */
  onDays: (days: string[]) => string;
  /** "the first and third Tuesday"; null without words for a number. @param day null for any day from Monday to Friday */
  numbered: (numbers: number[], day: string | null) => string | null;
  /** "the 15th", "the last day"; null without words for the number */
  dayOfMonth: (n: number) => string | null;
  /** "on the 15th and the last day", of what `numbered` or `dayOfMonth` gave */
  on: (list: string[]) => string;
  /** "on 24 December" */
  onDates: (dates: string[]) => string;
  /** "in June and July" */
  inMonths: (months: string[]) => string;
  onSomeDays: string;
  times: (n: number) => string;
  until: (date: string) => string;
  comma: string;
};

export const joined = (locale: string, items: string[]): string => new Intl.ListFormat(locale).format(items);

/**
 * "first and third".
 * @param words for 1 to 5, -2 and -1
 * @returns null without a word for one of the numbers
 */
export function ordinals(locale: string, words: string[], numbers: number[]): string | null {
  if (numbers.some((n) => n > 5 || n < -2)) return null;
  return joined(
    locale,
    numbers.flatMap((n) => words.at(n > 0 ? n - 1 : n) ?? []),
  );
}

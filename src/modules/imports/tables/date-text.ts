/** Dates, as people and programs write them. Of 3/4/2027, the text does not say which number is the day. */
import { normalize } from '../../../lib/user-texts/normalize.ts';
import { monthOf } from './month-names.ts';
import { readTime, type TimeText } from './time-text.ts';

/** What a text means with the day first, and with the month first; null for what no calendar has. Both are equal unless the order decides. */
export type DateText = {
  dayFirst: Temporal.PlainDate | null;
  monthFirst: Temporal.PlainDate | null;
  /** The time behind the date; null without one. */
  time: TimeText | null;
};
export type DateOrder = 'dayFirst' | 'monthFirst';

const maxLength = 120;

/** @returns null for a text that is no date, or that has something else behind it */
export function readDate(written: string): DateText | null {
  if (written.length > maxLength) return null;
  const text = cleaned(written);
  const found = readYearFirst(text) ?? readNumbers(text) ?? readWords(text);
  if (!found || (!found.dayFirst && !found.monthFirst)) return null;
  const { dayFirst, monthFirst } = found;
  const rest = found.rest.replace(/^(?:t(?=\d)|[\s,;|-]+)/, '').trim();
  const time = rest === '' ? null : readTime(rest);
  return rest !== '' && !time ? null : { dayFirst, monthFirst, time };
}

/** One form of digits, spaces and letters. */
export const cleaned = (text: string): string =>
  normalize(text.slice(0, maxLength), 'NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) % 16))
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
    .trim();

type Found = Pick<DateText, 'dayFirst' | 'monthFirst'> & { rest: string };

const yearFirst = /^(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)\s?[.日일]?/u;

function readYearFirst(text: string): Found | null {
  const [all, year, month, day] = yearFirst.exec(text) ?? /^(\d{4})(\d\d)(\d\d)(?=$|t)/.exec(text) ?? [];
  return all === undefined ? null : certain(text, all, year, month, day);
}

const numbers = /^(\d{1,2})\s?([/.-])\s?(\d{1,2})\s?\2\s?(\d{4}|\d\d)(?!\d)/;

/** Behind a weekday, too. */
function readNumbers(text: string): Found | null {
  const [from = '', word] = /^(\p{L}{2,15})[.,]?,? ?(?=\d)/u.exec(text) ?? [];
  if (word !== undefined && monthOf(word) !== undefined) return null;
  const written = text.slice(from.length);
  const [all, first, separator, second, year] = numbers.exec(written) ?? [];
  if (all === undefined) return null;
  const dayFirst = dateOf(year, second, first);
  const monthFirst = dateOf(year, first, second);
  const rest = written.slice(all.length);
  // With periods, the day is first in every language.
  if (separator === '.' && dayFirst) return { dayFirst, monthFirst: dayFirst, rest };
  return { dayFirst, monthFirst, rest };
}

const [day, month, year] = ['(?<day>\\d{1,2})', '(?<month>\\p{L}[\\p{L}\\p{M}]{1,20})', '(?<year>\\d{4})'];
const ordinal = '(?:st|nd|rd|th|er|ère|re|e|º|ª)?';
/** With the day, the month and the year first. */
const named = [
  `^${day}${ordinal}[.,]?[ -]?(?:of |de |d')?${month}[.,]?[ -]?,?\\s?(?:de |del |of )?(?<year>\\d{4}|\\d\\d(?!\\d|:))`,
  `^${month}\\.?[ -]?${day}${ordinal}(?!\\d),?\\s?-?${year}`,
  `^${year}[.,]?[ -]?${month}\\.?[ -]?${day}\\.?(?!\\d)`,
].map((pattern) => new RegExp(pattern, 'u'));
/** Weekdays and articles, as in "lördag den 3 april". */
const maxLeadingWords = 3;

function readWords(text: string): Found | null {
  let rest = text;
  for (let words = 0; words <= maxLeadingWords; words++) {
    const found = readNamed(rest);
    if (found) return found;
    const [word] = /^\p{L}[\p{L}\p{M}'-]{0,20}[.,]?,?\s?(?=[\p{L}\d])/u.exec(rest) ?? [];
    if (word === undefined) return null;
    rest = rest.slice(word.length);
  }
  return null;
}

function readNamed(text: string): Found | null {
  for (const pattern of named) {
    const found = pattern.exec(text);
    const { day, month = '', year } = found?.groups ?? {};
    if (found && monthOf(month) !== undefined) return certain(text, found[0], year, month, day);
  }
  return null;
}

function certain(text: string, all: string, year?: string, month?: string, day?: string): Found {
  const date = dateOf(year, month, day);
  return { dayFirst: date, monthFirst: date, rest: text.slice(all.length) };
}

/** Years of two digits are of this century. */
function dateOf(year = '', month = '', day = ''): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(
      {
        year: year.length === 2 ? 2_000 + Number(year) : Number(year),
        month: monthOf(month) ?? Number(month),
        day: Number(day),
      },
      { overflow: 'reject' },
    );
  } catch {
    return null;
  }
}

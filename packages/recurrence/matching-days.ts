import {
  calendarDay,
  dayNumber,
  daysInMonth,
  isLeapYear,
  modulo,
  startOfWeekYear,
  weekdayOf,
} from './day-numbers.ts';
import { type NumberedWeekday, type Rule, weekdays } from './rule.ts';

/** The days that the parts of a rule match, without its interval and positions, in ascending order. */
export class MatchingDays {
  readonly #rule: Rule;
  readonly #weekStart: number;
  /** The days of a week by `BYDAY`, from 0, its first day. */
  readonly #weekOffsets: number[];
  /** Whether numbers of `BYDAY` count in the year, not in a month. */
  readonly #hasNumbersInYear: boolean;
  readonly #monthMasks = new Map<number, number>();

  /** @param rule with what comes from its first date */
  constructor(rule: Rule) {
    const { freq, byDay, byMonth, wkst } = rule;
    this.#rule = rule;
    this.#weekStart = weekdays.indexOf(wkst);
    this.#weekOffsets = weekdays
      .flatMap((name, i) => (byDay.length === 0 || byDay.some(({ day }) => day === name) ? [i] : []))
      .map((i) => modulo(i - this.#weekStart, 7))
      .sort((a, b) => a - b);
    this.#hasNumbersInYear = freq === 'YEARLY' && byMonth.length === 0 && byDay.some(({ n }) => n !== null);
  }

  /** The largest number of days in a week. */
  get maxOfWeek(): number {
    return this.#weekOffsets.length;
  }

  /** @param start the first day of the week */
  ofWeek(start: number): number[] {
    const days: number[] = [];
    for (const offset of this.#weekOffsets) if (this.#matches(start + offset)) days.push(start + offset);
    return days;
  }

  /** @param month since year 0 */
  ofMonth(month: number): number[] {
    const [year, monthOfYear] = [Math.floor(month / 12), modulo(month, 12) + 1];
    if (!this.#isMonth(monthOfYear)) return [];
    const start = dayNumber(year, monthOfYear, 1);
    const days: number[] = [];
    for (let mask = this.#maskOf(start, daysInMonth(year, monthOfYear)); mask !== 0; mask &= mask - 1)
      days.push(start + 31 - Math.clz32(mask & -mask));
    return days;
  }

  ofMonthsIn(year: number): number[] {
    return Array.from({ length: 12 }, (_, i) => this.ofMonth(year * 12 + i))
      .flat()
      .filter((day) => this.#isMarked(day, year));
  }

  /** Of the weeks of a year by `BYWEEKNO`. */
  ofWeeksIn(year: number): number[] {
    const start = startOfWeekYear(year, this.#weekStart);
    const weeks = (startOfWeekYear(year + 1, this.#weekStart) - start) / 7;
    const wanted = this.#rule.byWeekNo.map((n) => (n > 0 ? n : weeks + 1 + n));
    const sorted = [...new Set(wanted)].filter((n) => n >= 1 && n <= weeks).sort((a, b) => a - b);
    return sorted.flatMap((n) => this.ofWeek(start + (n - 1) * 7));
  }

  #matches(day: number): boolean {
    const { byMonth, byMonthDay, byYearDay } = this.#rule;
    if (byMonth.length + byMonthDay.length + byYearDay.length === 0) return true;
    const { year, month, dayOfMonth } = calendarDay(day);
    if (!this.#isMonth(month)) return false;
    const mask = this.#maskOf(day - dayOfMonth + 1, daysInMonth(year, month));
    if ((mask & (1 << (dayOfMonth - 1))) === 0) return false;
    return this.#isMarked(day, year);
  }

  #isMonth(month: number): boolean {
    return this.#rule.byMonth.length === 0 || this.#rule.byMonth.includes(month);
  }

  /** The days of a month by `BYMONTHDAY` and `BYDAY`: bit 0 is the first one. @param start its first day */
  #maskOf(start: number, length: number): number {
    const key = length * 7 + weekdayOf(start);
    let mask = this.#monthMasks.get(key);
    if (mask === undefined) {
      mask = this.#buildMask(start, length);
      this.#monthMasks.set(key, mask);
    }
    return mask;
  }

  #buildMask(start: number, length: number): number {
    const { byMonthDay, byDay } = this.#rule;
    let mask = 0;
    for (let i = 0; i < length; i++) {
      const isDay = byMonthDay.length === 0 || byMonthDay.includes(i + 1) || byMonthDay.includes(i - length);
      const isWeekday =
        this.#hasNumbersInYear ||
        byDay.length === 0 ||
        byDay.some((each) => isNumbered(each, start, i, length));
      if (isDay && isWeekday) mask |= 1 << i;
    }
    return mask;
  }

  /** Whether `BYYEARDAY` has a day, and `BYDAY` if its numbers count in the year. */
  #isMarked(day: number, year: number): boolean {
    const { byYearDay, byDay } = this.#rule;
    const start = dayNumber(year, 1, 1);
    const length = isLeapYear(year) ? 366 : 365;
    const i = day - start;
    const isDay = byYearDay.length === 0 || byYearDay.includes(i + 1) || byYearDay.includes(i - length);
    return isDay && (!this.#hasNumbersInYear || byDay.some((each) => isNumbered(each, start, i, length)));
  }
}

/** Whether the day at an index of a month or year is such a day of the week. */
function isNumbered({ day, n }: NumberedWeekday, start: number, i: number, length: number): boolean {
  if (weekdays[weekdayOf(start + i)] !== day) return false;
  if (n === null) return true;
  return n > 0 ? Math.floor(i / 7) + 1 === n : Math.floor((length - 1 - i) / 7) + 1 === -n;
}

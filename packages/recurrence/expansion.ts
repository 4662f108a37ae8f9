/**
 * The days of a rule, in blocks: the period of its frequency, or for `DAILY` a month. A block costs at most a few thousand
 * steps, and the caller decides how many blocks it reads.
 */
import {
  calendarDay,
  dayNumber,
  dayNumberOf,
  daysInMonth,
  isLeapYear,
  modulo,
  startOfWeek,
  startOfWeekYear,
  weekdayOf,
} from './day-numbers.ts';
import { withDefaults } from './defaults.ts';
import { type NumberedWeekday, type Rule, weekdays } from './rule.ts';

/** After so many blocks, the calendar repeats: 400 years have a whole number of weeks. Each day may be of any interval. */
const blocksOfCycle = { DAILY: Infinity, WEEKLY: 20_871, MONTHLY: 4800, YEARLY: 400 };

/** No day is later than in this year, the last one that RFC 5545 can write. */
export const lastDayEver = dayNumber(9999, 12, 31);

export class Expansion {
  readonly #rule: Rule;
  /** The number of the first day, and of its block. */
  readonly #first: number;
  readonly #firstBlock: number;
  readonly #weekStart: number;
  /** Numbers of `BYDAY` count in the year, not in a month. */
  readonly #countsInYear: boolean;
  /** The days of a week by `BYDAY`, from 0, its first day. */
  readonly #weekOffsets: number[];
  readonly #monthMasks = new Map<number, number>();
  /** From the first day of the year. */
  readonly #yearOffsets = new Map<number, number[]>();

  /** @param first what the rule leaves out comes from it, and its period is the first one of the rule */
  constructor(rule: Rule, first: Temporal.PlainDateTime) {
    this.#rule = withDefaults(rule, first);
    this.#first = dayNumberOf(first);
    this.#weekStart = weekdays.indexOf(rule.wkst);
    const { byDay } = this.#rule;
    this.#weekOffsets = weekdays
      .flatMap((name, i) => (byDay.length === 0 || byDay.some(({ day }) => day === name) ? [i] : []))
      .map((i) => modulo(i - this.#weekStart, 7))
      .sort((a, b) => a - b);
    this.#countsInYear = rule.freq === 'YEARLY' && rule.byMonth.length === 0;
    this.#firstBlock = this.#blockOf(this.#first);
  }

  /** The days of the rule from one day up to another, in ascending order, whether or not they are before the first one. */
  *up(from: number, to: number): Generator<number> {
    const last = this.#blockOf(Math.min(to, lastDayEver));
    let empty = 0;
    for (let block = this.#blockNear(from); block <= last && empty <= this.#cycle; block += this.#step) {
      empty++;
      for (const day of this.daysOf(block)) {
        empty = 0;
        if (day >= from && day <= to) yield day;
      }
    }
  }

  /** The days of the rule from one day down to another, in descending order. */
  *down(from: number, to: number): Generator<number> {
    const last = this.#blockOf(to);
    let empty = 0;
    for (let block = this.#blockNear(from); block >= last && empty <= this.#cycle; block -= this.#step) {
      empty++;
      for (const day of this.daysOf(block).reverse()) {
        empty = 0;
        if (day <= from && day >= to) yield day;
      }
    }
  }

  /** The first day of the period of a day. */
  startOfPeriod(day: number): number {
    const { year, month } = calendarDay(day);
    if (this.#rule.freq === 'DAILY') return day;
    if (this.#rule.freq === 'WEEKLY') return startOfWeek(day, this.#weekStart);
    return dayNumber(year, this.#rule.freq === 'YEARLY' ? 1 : month, 1);
  }

  /** The days of the rule in a block, in ascending order. */
  daysOf(block: number): number[] {
    const { freq, bySetPos, interval } = this.#rule;
    switch (freq) {
      case 'DAILY':
        // A period is a day, which has the positions 1 and -1.
        if (bySetPos.length > 0 && !bySetPos.some((n) => n * n === 1)) return [];
        return this.#daysOfMonth(block).filter((day) => (day - this.#first) % interval === 0);
      case 'WEEKLY':
        return this.#atPositions(this.#daysOfWeek(block * 7 - 3 + this.#weekStart));
      case 'MONTHLY':
        return this.#atPositions(this.#daysOfMonth(block));
      case 'YEARLY':
        return this.#daysOfYear(block);
    }
  }

  get #step(): number {
    return this.#rule.freq === 'DAILY' ? 1 : this.#rule.interval;
  }

  /** A rule without a day in so many blocks has none in later ones. */
  get #cycle(): number {
    const { freq, bySetPos } = this.#rule;
    const isEmpty = bySetPos.length > 0 && bySetPos.every((n) => Math.abs(n) > this.#weekOffsets.length);
    return freq === 'WEEKLY' && isEmpty ? 0 : blocksOfCycle[freq];
  }

  #blockOf(day: number): number {
    const { freq, byWeekNo } = this.#rule;
    if (freq === 'WEEKLY') return Math.floor((day + 3 - this.#weekStart) / 7);
    const { year, month } = calendarDay(day);
    if (freq !== 'YEARLY') return year * 12 + month - 1;
    return byWeekNo.length > 0 ? this.#weekYearOf(day, year) : year;
  }

  /** The days of the weeks of a year, which may begin before it and end after it. */
  #weekYearOf(day: number, year: number): number {
    if (day < startOfWeekYear(year, this.#weekStart)) return year - 1;
    return day < startOfWeekYear(year + 1, this.#weekStart) ? year : year + 1;
  }

  /** The block of the rule that has a day, or the one before it. */
  #blockNear(day: number): number {
    const blocks = this.#blockOf(day) - this.#firstBlock;
    return this.#firstBlock + Math.floor(blocks / this.#step) * this.#step;
  }

  #daysOfWeek(start: number): number[] {
    const days: number[] = [];
    for (const offset of this.#weekOffsets) if (this.#matches(start + offset)) days.push(start + offset);
    return days;
  }

  /** @param month since year 0 */
  #daysOfMonth(block: number): number[] {
    const [year, month] = [Math.floor(block / 12), modulo(block, 12) + 1];
    if (!this.#isMonth(month)) return [];
    const start = dayNumber(year, month, 1);
    const days: number[] = [];
    for (let mask = this.#maskOf(start, daysInMonth(year, month)); mask !== 0; mask &= mask - 1)
      days.push(start + 31 - Math.clz32(mask & -mask));
    return days;
  }

  /** Years with the same weekdays, beside equally long ones, have the same days. */
  #daysOfYear(year: number): number[] {
    const start = dayNumber(year, 1, 1);
    const key = [year - 1, year, year + 1].reduce(
      (sum, y) => sum * 2 + Number(isLeapYear(y)),
      weekdayOf(start),
    );
    let offsets = this.#yearOffsets.get(key);
    if (!offsets) {
      const days = this.#rule.byWeekNo.length > 0 ? this.#daysOfWeeks(year) : this.#daysOfMonths(year);
      offsets = this.#atPositions(days).map((day) => day - start);
      this.#yearOffsets.set(key, offsets);
    }
    return offsets.map((offset) => start + offset);
  }

  #daysOfMonths(year: number): number[] {
    return Array.from({ length: 12 }, (_, i) => this.#daysOfMonth(year * 12 + i))
      .flat()
      .filter((day) => this.#isMarked(day, year));
  }

  #daysOfWeeks(year: number): number[] {
    const start = startOfWeekYear(year, this.#weekStart);
    const weeks = (startOfWeekYear(year + 1, this.#weekStart) - start) / 7;
    const wanted = this.#rule.byWeekNo.map((n) => (n > 0 ? n : weeks + 1 + n));
    const sorted = [...new Set(wanted)].filter((n) => n >= 1 && n <= weeks).sort((a, b) => a - b);
    return sorted.flatMap((n) => this.#daysOfWeek(start + (n - 1) * 7));
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

  #atPositions(days: number[]): number[] {
    const { bySetPos } = this.#rule;
    if (bySetPos.length === 0 || days.length === 0) return days;
    const indexes = new Set(bySetPos.map((n) => (n > 0 ? n - 1 : days.length + n)));
    return [...indexes].sort((a, b) => a - b).flatMap((i) => days[i] ?? []);
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

  get #hasNumbersInYear(): boolean {
    return this.#countsInYear && this.#rule.byDay.some(({ n }) => n !== null);
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

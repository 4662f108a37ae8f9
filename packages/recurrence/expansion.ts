/**
 * The days of a rule, in blocks: the period of its frequency, or for `DAILY` a month. A block costs at most a few thousand
 * steps, and the caller decides how many blocks it reads.
 */
import {
  calendarDay,
  dayNumber,
  dayNumberOf,
  isLeapYear,
  startOfWeek,
  startOfWeekYear,
  weekdayOf,
} from './day-numbers.ts';
import { withDefaults } from './defaults.ts';
import { MatchingDays } from './matching-days.ts';
import { type Rule, weekdays } from './rule.ts';

/**
 * The calendar repeats after 400 years, which are a whole number of weeks. Days with an interval repeat later; for them, it is
 * 10,000 years.
 */
const blocksOfCycle = { DAILY: 120_000, WEEKLY: 20_871, MONTHLY: 4800, YEARLY: 400 };

/** No day is later than in this year, the last one that RFC 5545 can write. */
export const lastDayEver = dayNumber(9999, 12, 31);

export class Expansion {
  readonly #rule: Rule;
  /** The number of the first day, and of its block. */
  readonly #first: number;
  readonly #firstBlock: number;
  readonly #weekStart: number;
  readonly #matching: MatchingDays;
  /** From the first day of the year. */
  readonly #yearOffsets = new Map<number, number[]>();

  /** @param first what the rule leaves out comes from it, and its period is the first one of the rule */
  constructor(rule: Rule, first: Temporal.PlainDateTime) {
    this.#rule = withDefaults(rule, first);
    this.#first = dayNumberOf(first);
    this.#weekStart = weekdays.indexOf(rule.wkst);
    this.#matching = new MatchingDays(this.#rule);
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
        return this.#matching.ofMonth(block).filter((day) => (day - this.#first) % interval === 0);
      case 'WEEKLY':
        return this.#atPositions(this.#matching.ofWeek(block * 7 - 3 + this.#weekStart));
      case 'MONTHLY':
        return this.#atPositions(this.#matching.ofMonth(block));
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
    const isEmpty = bySetPos.length > 0 && bySetPos.every((n) => Math.abs(n) > this.#matching.maxOfWeek);
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

  /** Years with the same weekdays, beside equally long ones, have the same days. */
  #daysOfYear(year: number): number[] {
    const start = dayNumber(year, 1, 1);
    const key = [year - 1, year, year + 1].reduce(
      (sum, y) => sum * 2 + Number(isLeapYear(y)),
      weekdayOf(start),
    );
    let offsets = this.#yearOffsets.get(key);
    if (!offsets) {
      const days =
        this.#rule.byWeekNo.length > 0 ? this.#matching.ofWeeksIn(year) : this.#matching.ofMonthsIn(year);
      offsets = this.#atPositions(days).map((day) => day - start);
      this.#yearOffsets.set(key, offsets);
    }
    return offsets.map((offset) => start + offset);
  }

  #atPositions(days: number[]): number[] {
    const { bySetPos } = this.#rule;
    if (bySetPos.length === 0 || days.length === 0) return days;
    const indexes = new Set(bySetPos.map((n) => (n > 0 ? n - 1 : days.length + n)));
    return [...indexes].sort((a, b) => a - b).flatMap((i) => days[i] ?? []);
  }
}

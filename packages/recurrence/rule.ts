/** The days of a week as RFC 5545 names them, Monday first. */
export const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
export type Weekday = (typeof weekdays)[number];

export const frequencies = ['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'] as const;
export type Frequency = (typeof frequencies)[number];

/** `n`: which of these days in the month or year, from its end if negative; null for each of them. */
export type NumberedWeekday = { day: Weekday; n: number | null };

/** A checked rule. `until` is local and inclusive. */
export type Rule = {
  readonly freq: Frequency;
  interval: number;
  count: number | null;
  until: Temporal.PlainDateTime | null;
  byDay: NumberedWeekday[];
  byMonthDay: number[];
  byMonth: number[];
  bySetPos: number[];
  byYearDay: number[];
  byWeekNo: number[];
  /** The first day of a week. */
  wkst: Weekday;
};

/** Where local times are: `isDates` for rules of whole days (all-day events). */
export type Clock = { timezone: string; isDates: boolean };

/** Why a rule is refused. The message is a part of a sentence, and names the part of the rule. */
export class RuleError extends Error {
  /** Such as `BYHOUR`. */
  readonly part: string;

  constructor(part: string, problem: string) {
    super(`${part} ${problem}`);
    this.part = part;
  }
}

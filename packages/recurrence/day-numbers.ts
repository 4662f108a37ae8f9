/** Days of the Gregorian calendar as numbers: 0 is 1970-01-01. Numbers cost a hundredth of the objects of `Temporal`. */

/** Days from 1 March of year 0 to 1970-01-01. */
const epoch = 719_468;
const [daysOf4Years, daysOf100Years, daysOf400Years] = [1461, 36_524, 146_097];

/** @param month from 1 */
export function dayNumber(year: number, month: number, dayOfMonth: number): number {
  // Years begin with March, so a leap day is the last day of its year.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + dayOfMonth - 1;
  return (
    era * daysOf400Years +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    epoch
  );
}

export type CalendarDay = { year: number; month: number; dayOfMonth: number };

export function calendarDay(day: number): CalendarDay {
  const shifted = day + epoch;
  const era = Math.floor(shifted / daysOf400Years);
  const dayOfEra = shifted - era * daysOf400Years;
  const leapDays =
    Math.floor(dayOfEra / (daysOf4Years - 1)) -
    Math.floor(dayOfEra / daysOf100Years) +
    Math.floor(dayOfEra / (daysOf400Years - 1));
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    dayOfMonth: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  };
}

/** From 0, Monday. */
export const weekdayOf = (day: number): number => modulo(day + 3, 7);

/** The first day of the week of a day. @param weekStart from 0, Monday */
export const startOfWeek = (day: number, weekStart: number): number =>
  day - modulo(weekdayOf(day) - weekStart, 7);

/** Week 1 of a year is its first one with at least four days in it. */
export const startOfWeekYear = (year: number, weekStart: number): number =>
  startOfWeek(dayNumber(year, 1, 4), weekStart);

export const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

export const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? isLeapYear(year)
      ? 29
      : 28
    : month === 4 || month === 6 || month === 9 || month === 11
      ? 30
      : 31;

export const modulo = (a: number, b: number): number => ((a % b) + b) % b;

export const dayNumberOf = ({ year, month, day }: Temporal.PlainDateTime): number =>
  dayNumber(year, month, day);

export function toDateTime(day: number, time: Temporal.PlainTime): Temporal.PlainDateTime {
  const { year, month, dayOfMonth } = calendarDay(day);
  return new Temporal.PlainDate(year, month, dayOfMonth).toPlainDateTime(time);
}

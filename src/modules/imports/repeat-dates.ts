/**
 * The dates of a rule (RRULE of RFC 5545), in local time, day after day: so every rule, also one without any date, ends
 * after a bounded number of steps.
 */
import { dayMs } from '#base';
import { maxCount, type Rule } from './repeat-rule.ts';

/** Days of a series with a COUNT that are looked at, about 55 years; otherwise those before and after today. */
const [maxDays, daysAround] = [20_000, 4_000];

/** A day by its number since 1970. */
type Day = { number: number; year: number; month: number; day: number; weekday: number };

function dayOf(number: number): Day {
  const date = new Date(number * dayMs);
  const weekday = date.getUTCDay() || 7;
  return {
    number,
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday,
  };
}

const numberOf = (date: Temporal.PlainDate): number => date.toZonedDateTime('UTC').epochMilliseconds / dayMs;

/**
 * The local dates and times of a rule, the first one first.
 * @param start DTSTART, which is a date of the rule even if the rule does not give it
 * @param now without a COUNT, dates long before it are left out
 * @param instantOf milliseconds since 1970, for an UNTIL in UTC
 */
export function* datesOf(
  rule: Rule,
  start: Temporal.PlainDateTime,
  now: Temporal.PlainDate,
  instantOf: (local: Temporal.PlainDateTime) => number,
): Generator<Temporal.PlainDateTime> {
  const first = dayOf(numberOf(start.toPlainDate()));
  const last = rule.until === '' ? now : earlier(now, rule.until);
  const from = rule.count < maxCount ? first.number : Math.max(first.number, numberOf(last) - daysAround);
  let count = 0;
  const to = rule.count < maxCount ? from + maxDays : Math.max(first.number, numberOf(last)) + daysAround;
  for (const number of numbersOf(rule, first, from, to)) {
    const local = start.add({ days: number - first.number });
    const time = rule.until.endsWith('Z') ? Temporal.Instant.fromEpochMilliseconds(instantOf(local)) : local;
    if (rule.until !== '' && isAfter(time, rule.until)) return;
    if (count === 0 && number > first.number) {
      count++;
      yield start;
    }
    if (count++ === rule.count) return;
    yield local;
  }
  if (count === 0) yield start;
}

function earlier(now: Temporal.PlainDate, until: string): Temporal.PlainDate {
  try {
    const date = Temporal.PlainDate.from(until.slice(0, 8));
    return Temporal.PlainDate.compare(date, now) < 0 ? date : now;
  } catch {
    return now;
  }
}

/** A date without a time includes its day. */
const isAfter = (time: Temporal.PlainDateTime | Temporal.Instant, until: string): boolean => {
  const text = time.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
  return text.slice(0, until.length) > until;
};

function* numbersOf(rule: Rule, first: Day, from: number, to: number): Generator<number> {
  let set: number[] = [];
  let [period, isMatching] = [Number.NaN, false];
  for (let number = startOfPeriod(dayOf(from), rule); number < to; number++) {
    const date = dayOf(number);
    const itsPeriod = periodOf(date, rule, first);
    if (itsPeriod !== period) {
      yield* atPositions(set, rule).filter((chosen) => chosen >= from);
      [set, period, isMatching] = [[], itsPeriod, itsPeriod % rule.interval === 0];
    }
    // No other day of the month matches.
    if (
      (!isMatching && rule.frequency !== 'WEEKLY' && rule.frequency !== 'DAILY') ||
      isOtherMonth(date, rule)
    ) {
      number += daysInMonth(date) - date.day;
      continue;
    }
    if (!isMatching || !matches(date, rule, first)) continue;
    if (rule.positions === null && number >= from) yield number;
    else if (rule.positions !== null) set.push(number);
  }
}

const isOtherMonth = ({ month }: Day, { months }: Rule): boolean =>
  months !== null && !months.includes(month);

const atPositions = (set: number[], { positions }: Rule): number[] =>
  positions === null
    ? []
    : set.filter((_, i) => positions.includes(i + 1) || positions.includes(i - set.length));

/** Positions count from the start of the period, also of the first one. */
function startOfPeriod(date: Day, { frequency, weekStart, positions }: Rule): number {
  if (positions === null || frequency === 'DAILY') return date.number;
  if (frequency === 'WEEKLY') return date.number - ((date.weekday - weekStart + 7) % 7);
  return frequency === 'MONTHLY' ? date.number - date.day + 1 : date.number - dayOfYear(date) + 1;
}

/** The number of periods since the first one. */
function periodOf(date: Day, { frequency, weekStart }: Rule, first: Day): number {
  if (frequency === 'DAILY') return date.number - first.number;
  if (frequency === 'YEARLY') return date.year - first.year;
  if (frequency === 'MONTHLY') return (date.year - first.year) * 12 + date.month - first.month;
  return Math.floor((date.number - first.number + ((first.weekday - weekStart + 7) % 7)) / 7);
}

const daysInMonth = ({ year, month }: Day): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
const daysInYear = ({ year }: Day): number => (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / dayMs;
const dayOfYear = ({ number, year }: Day): number => number - Date.UTC(year, 0, 1) / dayMs + 1;

function matches(date: Day, rule: Rule, first: Day): boolean {
  const { frequency, months, monthDays, yearDays, weekdays } = rule;
  const isIn = (list: number[], value: number, length: number) =>
    list.includes(value) || list.includes(value - length - 1);
  if (monthDays && !isIn(monthDays, date.day, daysInMonth(date))) return false;
  if (yearDays && !isIn(yearDays, dayOfYear(date), daysInYear(date))) return false;
  if (weekdays) return weekdays.some((weekday) => isWeekday(date, weekday, rule));
  if (monthDays || yearDays || frequency === 'DAILY') return true;
  if (frequency === 'WEEKLY') return date.weekday === first.weekday;
  return date.day === first.day && (frequency === 'MONTHLY' || months !== null || date.month === first.month);
}

function isWeekday(
  date: Day,
  { day, nth }: { day: number; nth: number },
  { frequency, months }: Rule,
): boolean {
  if (date.weekday !== day) return false;
  if (nth === 0 || frequency === 'DAILY' || frequency === 'WEEKLY') return true;
  const isInYear = frequency === 'YEARLY' && months === null;
  const [position, length] = isInYear ? [dayOfYear(date), daysInYear(date)] : [date.day, daysInMonth(date)];
  return nth > 0 ? Math.ceil(position / 7) === nth : Math.ceil((length - position + 1) / 7) === -nth;
}

/** The end of a rule, `UNTIL`: a time in UTC, a local time, or a date. */
import { type Clock, RuleError } from './rule.ts';

const form = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$/;
const endOfDay = new Temporal.PlainTime(23, 59, 59);
const [earliest, latest] = ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map((text) =>
  Temporal.Instant.from(text),
) as [Temporal.Instant, Temporal.Instant];

/**
 * A date includes its whole day. Of a local time that is skipped, the time after the gap is the end, as in UTC.
 * @throws RuleError
 */
export function parseUntil(text: string, { timezone, isDates }: Clock): Temporal.PlainDateTime {
  const [, year, month, day, hour, minute, second, z] = form.exec(text) ?? [];
  if (year === undefined)
    throw new RuleError('UNTIL', 'has to be a date or a time, such as 20261231T225959Z');
  const written = existing(`${year}-${month}-${day}T${hour ?? '23'}:${minute ?? '59'}:${second ?? '59'}`);
  if (isDates) return lastDay(written, z ? timezone : null).toPlainDateTime(endOfDay);
  const instant = written.toZonedDateTime(z ? 'UTC' : timezone).toInstant();
  return within(instant).toZonedDateTimeISO(timezone).toPlainDateTime();
}

/** The last day of a rule of whole days. Programs write midnight in UTC for the date itself. */
function lastDay(written: Temporal.PlainDateTime, timezone: string | null): Temporal.PlainDate {
  const isDate = !timezone || written.toPlainTime().equals(new Temporal.PlainTime());
  const day = isDate ? written : written.toZonedDateTime('UTC').withTimeZone(timezone);
  return day.year > 9999 ? new Temporal.PlainDate(9999, 12, 31) : day.toPlainDate();
}

/** @throws RuleError if there is no such day or time, such as 31 April */
function existing(text: string): Temporal.PlainDateTime {
  try {
    return Temporal.PlainDateTime.from(text);
  } catch {
    throw new RuleError('UNTIL', 'is no date that exists');
  }
}

const within = (instant: Temporal.Instant): Temporal.Instant =>
  Temporal.Instant.compare(instant, latest) > 0
    ? latest
    : Temporal.Instant.compare(instant, earliest) < 0
      ? earliest
      : instant;

export function formatUntil(until: Temporal.PlainDateTime, { timezone, isDates }: Clock): string {
  if (isDates) return compact(until.toPlainDate().toString());
  return compact(within(until.toZonedDateTime(timezone).toInstant()).toString({ smallestUnit: 'second' }));
}

const compact = (text: string): string => text.replaceAll(/[-:]/g, '');

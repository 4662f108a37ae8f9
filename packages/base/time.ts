/** Parses the timestamps and dates of requests. */

const timestamp =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):\d{2}:\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const date = /^\d{4}-\d{2}-\d{2}$/;
const earliest = Date.UTC(1900, 0, 1);
const latest = Date.UTC(10_000, 0, 1) - 1;

/** The range of valid timestamps, for error messages. */
export const timestampBounds = `from ${new Date(earliest).toISOString().replace('.000', '')} to ${new Date(latest).toISOString()}`;

/** In ms. */
export const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000] as const;

/** The day in UTC, as a date of PostgreSQL. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** The first instant of the next day in UTC, in ms since the epoch. */
export const nextUtcDay = (at: Date): number => at.getTime() - (at.getTime() % dayMs) + dayMs;

/** The seconds until the next day in UTC, for `Retry-After`. */
export const secondsToNextUtcDay = (now: Date): number => Math.ceil((nextUtcDay(now) - now.getTime()) / 1000);

/**
 * Parses an RFC 3339 timestamp with any offset. Digits below a millisecond are cut off.
 * @returns null if the text is not such a timestamp, or if its year in UTC is not from 1900 to 9999
 */
export function parseTimestamp(text: string): Date | null {
  const parts = timestamp.exec(text);
  if (!parts) return null;
  const [, day = '', clock = '', fraction = '.0', zone = ''] = parts;
  // The day at the offset may lie outside of the years that are valid in UTC.
  if (!readDay(day)) return null;
  const at = new Date(`${day}T${clock}.${fraction.slice(1, 4).padEnd(3, '0')}${zone.toUpperCase()}`);
  return isWithinRange(at) ? at : null;
}

/**
 * Parses a calendar date; returns its first instant in UTC, or null if the date does not exist or is out of
 * range.
 */
export function parseDay(text: string): Date | null {
  const at = date.test(text) ? readDay(text) : null;
  return at && isWithinRange(at) ? at : null;
}

/** The first instant in UTC of a day of any year; null if it does not exist. */
function readDay(text: string): Date | null {
  const at = new Date(`${text}T00:00:00.000Z`);
  // Date turns 30 February into 2 March; the comparison detects that.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text) ? at : null;
}

/** Restores the `+` of an offset: in a query string, `+` without percent-encoding is decoded to a space. */
export const withPlus = (text: string): string => text.replace(/ (\d{2}:\d{2})$/, '+$1');

/**
 * Reads the start of a range: a timestamp, or a date, which stands for its first instant. Null without a
 * valid value.
 */
export const readFrom = (text: string | undefined): Date | null =>
  text === undefined ? null : (parseDay(text) ?? parseTimestamp(withPlus(text)));

/** Reads the inclusive end of a range: a timestamp, or a date, which stands for its last millisecond. */
export function readUntil(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const day = parseDay(text);
  return day ? new Date(day.getTime() + dayMs - 1) : parseTimestamp(withPlus(text));
}

function isWithinRange(at: Date): boolean {
  return at.getTime() >= earliest && at.getTime() <= latest;
}

/** Time as it enters and leaves: RFC 3339 in, UTC with milliseconds out. */

const timestamp = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const date = /^\d{4}-\d{2}-\d{2}$/;
const earliest = Date.UTC(1900, 0, 1);
const latest = Date.UTC(10_000, 0, 1) - 1;

/** For messages about a timestamp or date that is refused. */
export const timestampBounds = `from ${new Date(earliest).toISOString().replace('.000', '')} to ${new Date(latest).toISOString()}`;

export const dayMs = 86_400_000;

/** Any RFC 3339 offset; digits below a millisecond are cut off. Null when it is not one, or not within 1900–9999. */
export function parseTimestamp(text: string): Date | null {
  const parts = timestamp.exec(text);
  if (!parts) return null;
  const [, day = '', clock = '', fraction = '.0', zone = ''] = parts;
  if (!parseDay(day)) return null;
  const at = new Date(`${day}T${clock}.${fraction.slice(1, 4).padEnd(3, '0')}${zone.toUpperCase()}`);
  return within(at) ? at : null;
}

/** A bare calendar date, as its first moment in UTC. Null when there is no such day. */
export function parseDay(text: string): Date | null {
  if (!date.test(text)) return null;
  const at = new Date(`${text}T00:00:00.000Z`);
  // Date rolls 30 February over into March; the way back shows it.
  return within(at) && at.toISOString().startsWith(text) ? at : null;
}

/** In a query string a bare `+` arrives as a space; before an offset nothing else can have been meant by it. */
export const withPlus = (text: string): string => text.replace(/ (\d{2}:\d{2})$/, '+$1');

/** A moment or a bare date of a query: from then on, or from the first moment of that day. */
export const readFrom = (text: string | undefined): Date | null =>
  text === undefined ? null : (parseDay(text) ?? parseTimestamp(withPlus(text)));

/** The same as an end, inclusive: a bare date goes on until its last millisecond. */
export function readUntil(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const day = parseDay(text);
  return day ? new Date(day.getTime() + dayMs - 1) : parseTimestamp(withPlus(text));
}

function within(at: Date): boolean {
  return at.getTime() >= earliest && at.getTime() <= latest;
}

/**
 * Moments in the time of a place, and what RFC 5545 wants said of that time: a VTIMEZONE. It is made from what this
 * machine knows of the zone, transition by transition; the ready-made ones that there are hold today's rule alone, and
 * are wrong for every year before it.
 */

const secondMs = 1_000;
const last = Date.UTC(9999, 11, 31, 23, 59, 59);

/** A calendar counts in seconds: the start is cut, the end is rounded up, so that nothing gets shorter. */
export const startSecond = (at: Date): number => Math.floor(at.getTime() / secondMs) * secondMs;
export const endSecond = (at: Date): number => Math.min(Math.ceil(at.getTime() / secondMs) * secondMs, last);

export const inZone = (at: number, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

const minuteNs = 60_000_000_000;
const isWholeMinutes = (ns: number): boolean => ns % minuteNs === 0;

/**
 * Whether local time alone says which moment it is. It does not in the two hours of a year that are called the same (RFC
 * 5545 means the first, but not every reader does), with the odd seconds of times before there were zones, and beyond
 * four digits of a year.
 */
export function isSaidByLocalTime(at: Temporal.ZonedDateTime): boolean {
  if (!isWholeMinutes(at.offsetNanoseconds) || at.year > 9999) return false;
  const local = at.toPlainDateTime();
  return (['earlier', 'later'] as const).every(
    (disambiguation) =>
      local.toZonedDateTime(at.timeZoneId, { disambiguation }).epochMilliseconds === at.epochMilliseconds,
  );
}

/** Before any transition. 1601 is where other programs begin such a zone too. */
const sinceEver = '16010101T000000';
/** A time that ends within a year and a bit is summer time; one that stays is the zone's own from then on. */
const longestSummer = { days: 370 };

/**
 * The zone around each of these moments: the transition into the time that it is in, and the one out of it.
 * @returns the lines of a VTIMEZONE
 */
export function zoneLines(timezone: string, moments: Temporal.ZonedDateTime[]): string {
  const spans: { from: number; until: number }[] = [];
  const parts = new Map<number, string>();
  for (const moment of moments) {
    const at = moment.epochMilliseconds;
    if (spans.some(({ from, until }) => from <= at && at < until)) continue;
    // Strictly before what it is asked of.
    const into = moment.add({ seconds: 1 }).getTimeZoneTransition('previous');
    const out = moment.getTimeZoneTransition('next');
    const from = into?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    spans.push({ from, until: out?.epochMilliseconds ?? Number.POSITIVE_INFINITY });
    parts.set(from, into ? changeLines(into) : observance('STANDARD', sinceEver, moment, moment));
    // 9999 is the last year that has a name here.
    if (out && out.year <= 9999) parts.set(out.epochMilliseconds, changeLines(out));
  }
  const sorted = [...parts].sort(([a], [b]) => a - b).map(([, lines]) => lines);
  return ['BEGIN:VTIMEZONE', `TZID:${timezone}`, ...sorted, 'END:VTIMEZONE', ''].join('\r\n');
}

function changeLines(to: Temporal.ZonedDateTime): string {
  const from = to.subtract({ nanoseconds: 1 });
  // In whole minutes, which not every reader goes beyond; the moment stays, since it is written by the same offset.
  const fromNs = Math.round(from.offsetNanoseconds / minuteNs) * minuteNs;
  const onset = compact(to.toInstant().add({ nanoseconds: fromNs }).toZonedDateTimeISO('UTC'));
  const next = to.getTimeZoneTransition('next');
  const isSummer =
    to.offsetNanoseconds > from.offsetNanoseconds &&
    next !== null &&
    Temporal.Instant.compare(next.toInstant(), to.add(longestSummer).toInstant()) < 0;
  return observance(isSummer ? 'DAYLIGHT' : 'STANDARD', onset, fromNs, to);
}

function observance(
  kind: 'STANDARD' | 'DAYLIGHT',
  onset: string,
  from: number | Temporal.ZonedDateTime,
  to: Temporal.ZonedDateTime,
): string {
  const fromNs = typeof from === 'number' ? from : from.offsetNanoseconds;
  return [
    `BEGIN:${kind}`,
    `DTSTART:${onset}`,
    `TZOFFSETFROM:${offset(fromNs)}`,
    `TZOFFSETTO:${offset(to.offsetNanoseconds)}`,
    `END:${kind}`,
  ].join('\r\n');
}

const two = (n: number): string => String(n).padStart(2, '0');

const compact = ({ year, month, day, hour, minute, second }: Temporal.ZonedDateTime): string =>
  `${String(year).padStart(4, '0')}${two(month)}${two(day)}T${two(hour)}${two(minute)}${two(second)}`;

function offset(ns: number): string {
  const minutes = Math.round(Math.abs(ns) / minuteNs);
  // RFC 5545 forbids -0000.
  return `${ns < 0 && minutes > 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}

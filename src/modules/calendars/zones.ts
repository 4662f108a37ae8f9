/**
 * Local times of a time zone, and the VTIMEZONE that RFC 5545 requires for them. The VTIMEZONE is built from
 * the transitions in the zone data of the runtime: published VTIMEZONE collections hold only the current
 * rule, which is wrong for earlier years.
 */

const secondMs = 1_000;
const lastSecond = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * iCalendar times have seconds: the start is rounded down and the end up, so that an event never gets
 * shorter.
 */
export const startSecond = (at: Date): number => Math.floor(at.getTime() / secondMs) * secondMs;
export const endSecond = (at: Date): number =>
  Math.min(Math.ceil(at.getTime() / secondMs) * secondMs, lastSecond);

export const inZone = (at: number, timezone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

const minuteNs = 60_000_000_000;
const isWholeMinutes = (ns: number): boolean => ns % minuteNs === 0;

/**
 * Whether calendar programs derive the right instant from a local time. They do not in the hour that repeats
 * when clocks are set back (RFC 5545 means its first occurrence, but some programs take the second), with
 * historical offsets that have seconds, and after the year 9999.
 */
export function isUnambiguous(at: Temporal.ZonedDateTime): boolean {
  if (!isWholeMinutes(at.offsetNanoseconds) || at.year > 9999) return false;
  const local = at.toPlainDateTime();
  return (['earlier', 'later'] as const).every(
    (disambiguation) =>
      local.toZonedDateTime(at.timeZoneId, { disambiguation }).epochMilliseconds === at.epochMilliseconds,
  );
}

/** The onset of an observance without an earlier transition. Other programs also use the year 1601. */
const earliestOnset = '16010101T000000';
/**
 * An increased offset that lasts at most this long is daylight saving time; a longer one is a new standard
 * time.
 */
const maxDaylightPeriod = { days: 370 };

/**
 * The lines of a VTIMEZONE that has, for each of `times`, the transition before it and the transition after
 * it.
 */
export function zoneLines(timezone: string, times: Temporal.ZonedDateTime[]): string {
  const spans: { from: number; until: number }[] = [];
  const observances = new Map<number, string>();
  for (const time of times) {
    const at = time.epochMilliseconds;
    if (spans.some(({ from, until }) => from <= at && at < until)) continue;
    // 'previous' excludes the time itself, so a transition at that time needs the extra second.
    const previous = time.add({ seconds: 1 }).getTimeZoneTransition('previous');
    const next = time.getTimeZoneTransition('next');
    const from = previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;
    spans.push({ from, until: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY });
    observances.set(
      from,
      previous
        ? transitionLines(previous)
        : observance('STANDARD', earliestOnset, time.offsetNanoseconds, time),
    );
    // Years have four digits in RFC 5545.
    if (next && next.year <= 9999) observances.set(next.epochMilliseconds, transitionLines(next));
  }
  const sorted = [...observances].sort(([a], [b]) => a - b).map(([, lines]) => lines);
  return ['BEGIN:VTIMEZONE', `TZID:${timezone}`, ...sorted, 'END:VTIMEZONE', ''].join('\r\n');
}

function transitionLines(to: Temporal.ZonedDateTime): string {
  const from = to.subtract({ nanoseconds: 1 });
  // Rounded to minutes, since some programs do not read seconds in offsets. The onset uses the same rounded
  // offset.
  const fromNs = Math.round(from.offsetNanoseconds / minuteNs) * minuteNs;
  const onset = compact(to.toInstant().add({ nanoseconds: fromNs }).toZonedDateTimeISO('UTC'));
  const next = to.getTimeZoneTransition('next');
  const isDaylight =
    to.offsetNanoseconds > from.offsetNanoseconds &&
    next !== null &&
    Temporal.Instant.compare(next.toInstant(), to.add(maxDaylightPeriod).toInstant()) < 0;
  return observance(isDaylight ? 'DAYLIGHT' : 'STANDARD', onset, fromNs, to);
}

function observance(
  kind: 'STANDARD' | 'DAYLIGHT',
  onset: string,
  fromNs: number,
  to: Temporal.ZonedDateTime,
): string {
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
  // RFC 5545 does not allow -0000.
  return `${ns < 0 && minutes > 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}

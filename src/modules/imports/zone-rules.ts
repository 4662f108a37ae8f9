/**
 * Time zones that a file defines itself (VTIMEZONE of RFC 5545). A rule may have what zones need and nothing else, so that
 * the last onset before a time is found in a few years.
 */
/** Onsets and offsets of STANDARD or DAYLIGHT. Offsets are seconds east of UTC. */
type Observance = {
  /** DTSTART, in the local time before the onset. */
  start: Temporal.PlainDateTime;
  from: number;
  to: number;
  /** RDATE, in the same time. */
  dates: Temporal.PlainDateTime[];
  rule: Rule | null;
};
/** Each year, on the days of a month that match. */
type Rule = {
  month: number;
  /** Days of the month; null for any. */
  days: number[] | null;
  /** 1 is Monday, and `nth` the first, second or, with -1, the last of the month; 0 for all of them. */
  weekday: { day: number; nth: number } | null;
  /** UNTIL, milliseconds since 1970. */
  until: number;
};
export type OwnZone = { toInstant(local: Temporal.PlainDateTime): number };

const maxObservances = 40;
const maxDates = 500;
/** After so many years, the weekdays of all dates repeat, except over the end of a century. */
const cycle = { first: 2001, years: 28 };

/**
 * @param lines from BEGIN:VTIMEZONE to END:VTIMEZONE
 * @returns null if the zone cannot be read, or if one of its rules does not give a date each year
 */
export function readZone(lines: string[]): { tzid: string; zone: OwnZone | null } | null {
  let tzid = '';
  let open: Map<string, string[]> | null = null;
  const parts: Map<string, string[]>[] = [];
  for (const line of lines) {
    const name = /^[\w-]+/.exec(line)?.[0] ?? '';
    const value = line.slice(line.indexOf(':') + 1);
    const isObservance = /^(?:STANDARD|DAYLIGHT)$/i.test(value.trim());
    if (isObservance) open = /^BEGIN$/i.test(name) ? new Map() : null;
    if (isObservance && open) parts.push(open);
    else if (open) open.getOrInsert(name.toUpperCase(), []).push(value.trim());
    else if (/^TZID$/i.test(name)) tzid = value.trim();
  }
  if (tzid === '') return null;
  const observances = parts.length > maxObservances ? [] : parts.map(readObservance);
  const isReadable = observances.length > 0 && observances.every((one) => one !== null);
  return { tzid, zone: isReadable ? { toInstant: (local) => toInstant(observances, local) } : null };
}

function readObservance(properties: Map<string, string[]>): Observance | null {
  const first = (name: string) => properties.get(name)?.[0] ?? '';
  const start = readLocal(first('DTSTART'));
  const [from, to] = [readOffset(first('TZOFFSETFROM')), readOffset(first('TZOFFSETTO'))];
  const texts = (properties.get('RDATE') ?? []).flatMap((value) => value.split(',', maxDates + 1));
  if (!start || from === null || to === null || texts.length > maxDates) return null;
  const dates = texts.map((text) => readLocal(text.split('/', 1)[0] ?? ''));
  const rules = properties.get('RRULE') ?? [];
  const rule = rules.length > 0 ? readRule(rules[0] ?? '', start) : null;
  if (rules.length > 1 || (rules.length > 0 && !rule) || dates.includes(null)) return null;
  return { start, from, to, dates: dates as Temporal.PlainDateTime[], rule };
}

function readLocal(text: string): Temporal.PlainDateTime | null {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z?$/.exec(text) ?? [];
  if (!year) return null;
  try {
    return Temporal.PlainDateTime.from(`${year}-${month}-${day}T${hour}:${minute}:${second}`);
  } catch {
    return null;
  }
}

function readOffset(text: string): number | null {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  if (!sign || offset >= 86_400) return null;
  return sign === '-' ? -offset : offset;
}

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

function readRule(text: string, start: Temporal.PlainDateTime): Rule | null {
  const parts = new Map(
    text
      .toUpperCase()
      .split(';', 20)
      .map((part) => part.split('=', 2) as [string, string]),
  );
  const taken = (name: string) => {
    const value = parts.get(name);
    parts.delete(name);
    return value;
  };
  const isYearly = taken('FREQ') === 'YEARLY' && Number(taken('INTERVAL') ?? 1) === 1;
  taken('WKST');
  const month = Number(taken('BYMONTH') ?? start.month);
  const until = taken('UNTIL');
  const days = taken('BYMONTHDAY')?.split(',', 32).map(Number) ?? null;
  const byDay = taken('BYDAY');
  const [, nth = '', name = ''] = /^([+-]?[1-4])?(MO|TU|WE|TH|FR|SA|SU)$/.exec(byDay ?? '') ?? [];
  // Some programs write the time of day again.
  const isSameTime = (['hour', 'minute', 'second'] as const).every(
    (unit) => Number(taken(`BY${unit.toUpperCase()}`) ?? start[unit]) === start[unit],
  );
  if (!isYearly || !isSameTime || parts.size > 0 || (byDay !== undefined && name === '')) return null;
  if (!Number.isInteger(month) || month < 1 || month > 12) return null;
  const end = until === undefined ? Number.POSITIVE_INFINITY : readUntil(until);
  const weekday = name === '' ? null : { day: weekdays.indexOf(name) + 1, nth: Number(nth) };
  const rule = { month, days: days ?? (weekday ? null : [start.day]), weekday, until: end };
  const years = Array.from({ length: cycle.years }, (_, i) => cycle.first + i);
  return !Number.isNaN(end) && years.every((year) => datesIn(year, rule).length > 0) ? rule : null;
}

/** A date includes its day. */
const readUntil = (text: string): number =>
  (readLocal(text) ?? readLocal(`${text}T235959`))?.toZonedDateTime('UTC').epochMilliseconds ?? Number.NaN;

function datesIn(year: number, { month, days, weekday }: Rule): Temporal.PlainDate[] {
  const first = new Temporal.PlainDate(year, month, 1);
  const length = first.daysInMonth;
  const isMatch = (day: number): boolean => {
    if (days && !days.includes(day)) return false;
    if (!weekday) return true;
    if (((first.dayOfWeek - 1 + day - 1) % 7) + 1 !== weekday.day) return false;
    // With days of the month, RFC 5545 has no position.
    if (weekday.nth === 0 || days) return true;
    const position = weekday.nth > 0 ? Math.ceil(day / 7) : -Math.ceil((length - day + 1) / 7);
    return position === weekday.nth;
  };
  return Array.from({ length }, (_, i) => i + 1)
    .filter(isMatch)
    .map((day) => first.with({ day }));
}

const secondsAt = (local: Temporal.PlainDateTime): number =>
  local.toZonedDateTime('UTC').epochMilliseconds / 1000;

/** Milliseconds since 1970. Of a time that exists twice, the first; one that does not exist has the offset before it. */
function toInstant(observances: Observance[], local: Temporal.PlainDateTime): number {
  const at = secondsAt(local);
  let last: { onset: number; offset: number } | null = null;
  for (const observance of observances) {
    const onset = lastOnset(observance, local, at);
    if (onset !== null && (!last || onset >= last.onset)) last = { onset, offset: observance.to };
  }
  const [first] = observances.toSorted((a, b) => Temporal.PlainDateTime.compare(a.start, b.start));
  return (at - (last?.offset ?? first?.from ?? 0)) * 1000;
}

/** The last onset up to a local time, in seconds; null before the first one. */
function lastOnset(
  { start, from, to, dates, rule }: Observance,
  local: Temporal.PlainDateTime,
  at: number,
): number | null {
  const years = Math.min(local.year, rule ? yearOf(rule.until) : local.year);
  const byRule = rule
    ? [years, years - 1, years - 2]
        .filter((year) => year >= start.year)
        .flatMap((year) => datesIn(year, rule))
        .map((date) => date.toPlainDateTime(start.toPlainTime()))
        .filter((onset) => (secondsAt(onset) - from) * 1000 <= rule.until)
    : [];
  // Clocks that go forward skip the times between the onset and the new time.
  const onsets = [start, ...dates, ...byRule]
    .map((onset) => secondsAt(onset))
    .filter((onset) => onset >= secondsAt(start) && onset + Math.max(0, to - from) <= at);
  return onsets.length > 0 ? Math.max(...onsets) : null;
}

const yearOf = (at: number): number =>
  at === Number.POSITIVE_INFINITY ? at : new Date(at).getUTCFullYear() + 1;

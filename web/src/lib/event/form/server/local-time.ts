/** Conversion between instants and the local dates and times of forms. */

export type LocalTime = { date: string; time: string };

/** `gap`: the clocks skip this time; `next` is the time that they show instead. `invalid`: not a date or time. */
export type Instant = { at: string } | { problem: 'invalid' } | { problem: 'gap'; next: string };

/** @param time such as `18:30`; of two equal times at the end of summer time, the first is meant */
export function toInstant({ date, time }: LocalTime, timeZone: string): Instant {
  const times = parse(() => {
    const local = Temporal.PlainDateTime.from(`${date}T${time}`);
    return { local, zoned: local.toZonedDateTime(timeZone) };
  });
  if (!times) return { problem: 'invalid' };
  const { local, zoned } = times;
  if (!zoned.toPlainDateTime().equals(local)) return { problem: 'gap', next: timeOf(zoned) };
  return { at: zoned.toInstant().toString() };
}

/** The first instant of a day, `days` later. */
export function toStartOfDay(date: string, timeZone: string, days = 0): Instant {
  const start = parse(() => Temporal.PlainDate.from(date).add({ days }).toZonedDateTime(timeZone));
  return start ? { at: start.toInstant().toString() } : { problem: 'invalid' };
}

export function toLocal(at: string, timeZone: string): LocalTime {
  const zoned = Temporal.Instant.from(at).toZonedDateTimeISO(timeZone);
  return { date: zoned.toPlainDate().toString(), time: timeOf(zoned) };
}

/** The same text for an invalid date. */
export const addDays = (date: string, days: number): string =>
  parse(() => Temporal.PlainDate.from(date).add({ days }).toString()) ?? date;

const timeOf = (zoned: Temporal.ZonedDateTime): string => zoned.toPlainTime().toString().slice(0, 5);

/** Temporal throws for text that it cannot parse, and for dates out of its range. */
function parse<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

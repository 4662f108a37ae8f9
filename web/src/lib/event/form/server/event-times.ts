/** The start and the end of an event, from the local dates and times of its form. */
import type { EventValues } from '#lib/event/form/event-values.ts';
import { parseTime } from '#lib/event/form/wall-times.ts';
import { m } from '#lib/messages/index.js';
import { addDays, type Instant, toInstant, toLocal, toStartOfDay } from './local-time.ts';

/** Texts by field, as the API names it. */
export type FieldErrors = Record<string, string>;

type Times = Pick<
  EventValues,
  'allDay' | 'startDate' | 'startTime' | 'endDate' | 'endTime' | 'startAt' | 'endAt'
>;

/** The start and the end of an event, or texts in `fields`. */
export function readTimes(values: Times, zone: string, fields: FieldErrors): [string, string] {
  const { allDay, startDate } = values;
  const [startTime, endTime] = (['startTime', 'endTime'] as const).map((name) => {
    const time = allDay ? '' : parseTime(values[name]);
    if (time === null) fields[name] = m.organizer_error_time();
    return time;
  });
  if (startTime == null || endTime == null) return ['', ''];
  const crossesMidnight = !allDay && endTime <= startTime;
  const endDate = values.endDate || addDays(startDate, crossesMidnight ? 1 : 0);
  const start = allDay
    ? toStartOfDay(startDate, zone)
    : toInstant({ date: startDate, time: startTime }, zone);
  const end = allDay ? toStartOfDay(endDate, zone, 1) : toInstant({ date: endDate, time: endTime }, zone);
  const startAt = accept(start, 'startAt', values.startAt, zone, fields);
  const endAt = accept(end, 'endAt', values.endAt, zone, fields);
  if (startAt && endAt && Date.parse(endAt) <= Date.parse(startAt)) fields.endAt = m.field_after_start();
  return [startAt, endAt];
}

/**
 * Until when people answer, or a text in `fields`. A day without a time is meant as a whole, as long as the event lasts.
 * @returns null without a day
 */
export function readRsvpUntil(
  { rsvpUntilDate: date, rsvpUntilTime }: Pick<EventValues, 'rsvpUntilDate' | 'rsvpUntilTime'>,
  { zone, endAt }: { zone: string; endAt: string },
  fields: FieldErrors,
): string | null {
  if (date === '') return null;
  const isWholeDay = rsvpUntilTime === '';
  const time = isWholeDay ? '23:59' : parseTime(rsvpUntilTime);
  if (time === null) {
    fields.rsvpUntil = m.organizer_error_time();
    return null;
  }
  const instant = toInstant({ date, time }, zone);
  const at = accept(instant, 'rsvpUntil', '', zone, fields);
  const isAfterEnd = Date.parse(at) > Date.parse(endAt);
  if (isAfterEnd && !isWholeDay) fields.rsvpUntil = m.organizer_error_rsvp_until();
  return isAfterEnd ? endAt : at;
}

/**
 * @param stored the stored time. It stays if the form shows the same minute: it may have seconds, or be the second of
 * two equal times at the end of summer time
 */
function accept(time: Instant, path: string, stored: string, zone: string, fields: FieldErrors): string {
  if ('problem' in time) {
    fields[path] =
      time.problem === 'gap'
        ? m.organizer_error_gap({ zone: zone.replaceAll('_', ' '), next: time.next })
        : m.field_timestamp();
    return '';
  }
  if (!/^\d{4}-/.test(stored) || !Number.isFinite(Date.parse(stored))) return time.at;
  const [entered, kept] = [time.at, new Date(stored).toISOString()].map((at) => toLocal(at, zone));
  return entered?.date === kept?.date && entered?.time === kept?.time ? stored : time.at;
}

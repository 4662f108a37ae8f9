/** Reads the rule and the dates of requests. */
import { nearestDate } from '#recurrence';
import { invalid, invalidFields, Problem } from '../../lib/errors.ts';
import type { EventFields } from '../events/event-fields.ts';
import {
  clockOf,
  formatDate,
  type LocalTime,
  localTime,
  readDate,
  readRule,
  requireNoOverlap,
  type Schedule,
  scheduleOfEvent,
} from '../events/series/schedule.ts';
import type { Repetition } from './schemas.ts';

/**
 * The schedule of a series whose first date is an event.
 * @param startPath the field of the request that has the start of the event
 * @throws Problem `invalid_request`
 */
export function readSchedule(event: EventFields, repetition: Repetition, startPath: string): Schedule {
  const { timezone, allDay, startAt } = event;
  const rule = readRule(repetition.rrule, clockOf(event));
  const first = localTime(startAt, timezone);
  if (first.second !== 0 || first.millisecond !== 0) throw invalid(startPath, 'must be on a full minute');
  const nearest = nearestDate(rule, first);
  if (!nearest) throw invalid('rrule', 'gives no date in ten years');
  if (!nearest.equals(first))
    throw invalid(startPath, `is no date of the rule; the nearest is ${formatDate(nearest, allDay)}`);
  const schedule = scheduleOfEvent(event, rule, readDates(repetition, allDay));
  requireNoOverlap(schedule, 'rrule');
  return schedule;
}

/** @throws Problem `invalid_request` for a text that is no date */
export const readDates = (
  { extraDates = [], excludedDates = [] }: Partial<Repetition>,
  allDay: boolean,
): Pick<Schedule, 'extra' | 'excluded'> => ({
  extra: readList(extraDates, 'extraDates', allDay),
  excluded: new Set(readList(excludedDates, 'excludedDates', allDay).map((date) => formatDate(date, allDay))),
});

function readList(texts: string[], name: string, allDay: boolean): LocalTime[] {
  const form = allDay ? 'a day such as 2026-12-24' : 'a local time such as 2026-12-24T18:00';
  const dates = [...new Set(texts)].map((text, i) => {
    const date = readDate(text, allDay);
    if (!date || date.year < 1900) throw invalid(`${name}.${i}`, `must be ${form}`);
    return date;
  });
  return dates.sort(Temporal.PlainDateTime.compare);
}

/** Runs what checks a part of a request, and names its fields inside the whole. */
export function inside<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Problem) || !error.errors) throw error;
    throw invalidFields(error.errors.map((field) => ({ ...field, path: `${name}.${field.path}` })));
  }
}

/** The length of events. */
import { dayMs } from '#base';
import { dateIn } from '../../lib/time-zones.ts';

/** The most days that an event lasts: a leap year. A longer event would stand at the start of most lists. */
export const maxDays = 366;

type Period = { startAt: Date; endAt: Date; allDay: boolean; timezone: string };

/** Returns the days from the start to the end: calendar days of an all-day event, which may have 23 or 25 hours. */
export function daysOf({ startAt, endAt, allDay, timezone }: Period): number {
  if (!allDay) return (endAt.getTime() - startAt.getTime()) / dayMs;
  return dateIn(startAt, timezone).until(dateIn(endAt, timezone)).total('days');
}

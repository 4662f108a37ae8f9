/** Dates of entries as texts that later imports compare. */
import { type EntryTime, toInstant } from './entry-times.ts';
import type { Calendar } from './parse-calendar.ts';

/** Any zone makes keys stable. */
export const keyZone = ({ zone }: Calendar): string => zone ?? 'UTC';

/** A date of a series: its day if it has no time, otherwise its instant. */
export const dateKey = (time: EntryTime, calendar: Calendar): string =>
  time.isDate ? time.local.toPlainDate().toString() : instantKey(time, calendar);

export const instantKey = (time: EntryTime, calendar: Calendar): string =>
  new Date(toInstant(time, keyZone(calendar), calendar)).toISOString();

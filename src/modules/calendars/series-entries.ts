/**
 * The entries of a series: one with its rule, one with RECURRENCE-ID for each date that differs from it, and entries of their own
 * for dates that no rule can express for all programs. A program that expands them has the occurrences.
 */
import { datesOf } from '#recurrence';
import { isUtc } from '../../lib/time-zones.ts';
import { namesOf } from '../events/event-fields.ts';
import type { OccurrenceRow } from '../events/series/occurrences.ts';
import type { Series } from '../events/series/repo.ts';
import {
  clockOf,
  formatDate,
  instantOf,
  type LocalTime,
  localTime,
  readDate,
  type Schedule,
  timesOf,
} from '../events/series/schedule.ts';
import type { CalendarEntry, CalendarEvent } from './present.ts';
import { repeatingLines } from './series-rule.ts';
import { isUnambiguous } from './zones.ts';

/** `revisedAt`: of the last change that calendars show. */
export type SeriesVersion = { sequence: number; revisedAt: Date };

/**
 * `event`: the fields of dates that are not made yet; null if the reader may not see them.
 * `occurrences`: those that the reader sees, ascending by date.
 */
export type ShownSeries = {
  series: Series;
  occurrences: OccurrenceRow[];
  version: SeriesVersion;
  template: SeriesTemplate | null;
  organizerName: string | null;
};
export type SeriesTemplate = Series['fields'];

/** `times`: those of which the zone is described beside those of the entries. */
export type SeriesEntries = { entries: CalendarEntry[]; times: Temporal.ZonedDateTime[] };

/** Dates between two occurrences: every day of 27 years. */
const maxDates = 10_000;

export function toSeriesEntries(shown: ShownSeries): SeriesEntries {
  const { series, occurrences, version, template, organizerName } = shown;
  const { schedule } = series;
  const rowOf = new Map(occurrences.map((row) => [row.seriesDate, row]));
  const dates = datesBetween(schedule, occurrences);
  const text = (date: LocalTime) => formatDate(date, schedule.allDay);
  // A rule begins at a date that all programs understand; irregular ones before it are entries of their own.
  const first = dates.findIndex((date) => rowOf.has(text(date)) && isRegular(schedule, date));
  const ruled = first < 0 ? [] : dates.slice(first);
  const [begin] = ruled;
  const inRule = new Set(ruled.filter((date) => !isSkipped(schedule, date)).map(text));
  const common = { sequence: version.sequence };
  const alone = occurrences
    .filter(({ seriesDate }) => !inRule.has(seriesDate))
    .map((event) => ({
      ...{ event, organizerName },
      inSeries: { ...common, subject: event.id, path: `/e/${event.id}` },
    }));
  if (!begin) return { entries: alone, times: [] };

  const master = masterOf(shown, begin, inRule);
  const isOpen = template !== null && series.status === 'active';
  const rule = repeatingLines(schedule, {
    begin,
    last: isOpen ? null : (ruled.at(-1) ?? begin),
    excluded: ruled.filter((date) => !inRule.has(text(date)) || !rowOf.has(text(date))),
    isLater: (date) => date > text(ruled.at(-1) ?? begin),
  });
  const subject = series.id;
  const changed = ruled.flatMap((date) => {
    const event = inRule.has(text(date)) ? rowOf.get(text(date)) : undefined;
    if (!event || isAsMaster(event, master, timesOf(schedule, date), schedule, date)) return [];
    const recurrenceId = `RECURRENCE-ID${rule.form(date)}\r\n`;
    const inSeries = { ...common, subject, path: `/e/${event.id}`, recurrenceId };
    return [{ event, organizerName, inSeries }];
  });
  const inSeries = { ...common, subject, path: `/series/${subject}`, repeating: rule.lines };
  return { entries: [{ event: master, organizerName, inSeries }, ...changed, ...alone], times: rule.times };
}

/** The dates of the rule from the first occurrence to the last one. */
function datesBetween(schedule: Schedule, occurrences: OccurrenceRow[]): LocalTime[] {
  const own = occurrences.flatMap(({ seriesDate }) => readDate(seriesDate, schedule.allDay) ?? []);
  const [from, last] = [own[0], own.at(-1)];
  if (!from || !last) return [];
  return datesOf(schedule.rule, schedule.first, { from, before: last.add({ minutes: 1 }), limit: maxDates });
}

const isSkipped = ({ allDay, timezone }: Schedule, date: LocalTime): boolean =>
  !allDay && !localTime(instantOf(date, timezone), timezone).equals(date);

/** Whether programs agree on the start and the end of a date: they count the length of a date over a clock change differently. */
function isRegular(schedule: Schedule, date: LocalTime): boolean {
  const { timezone, allDay } = schedule;
  if (allDay || isUtc(timezone)) return true;
  if (isSkipped(schedule, date)) return false;
  const { startAt, endAt } = timesOf(schedule, date);
  const [start, end] = [startAt, endAt].map((at) =>
    at.toTemporalInstant().toZonedDateTimeISO(clockOf(schedule).timezone),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  return isUnambiguous(start) && isUnambiguous(end) && start.offsetNanoseconds === end.offsetNanoseconds;
}

/**
 * What the dates of the rule have in common. A reader who may not see those that are not made yet gets what an occurrence shows, if
 * possible one that was not changed.
 */
function masterOf(
  { series, occurrences, version, template }: ShownSeries,
  begin: LocalTime,
  inRule: Set<string>,
): CalendarEvent {
  const ruled = occurrences.filter(({ seriesDate }) => inRule.has(seriesDate));
  const fields =
    template ?? ruled.findLast(({ ownFields }) => ownFields.length === 0) ?? (ruled.at(-1) as OccurrenceRow);
  const { id, organizerId, createdAt } = series;
  return {
    ...fields,
    ...timesOf(series.schedule, begin),
    ...{ id, organizerId, createdAt, updatedAt: version.revisedAt, sequence: version.sequence },
    status: 'scheduled',
  };
}

const timeNames = new Set<string>(['startAt', 'endAt', 'allDay', 'timezone']);
const sharedNames = namesOf(({ calendar }) => calendar !== undefined).filter((name) => !timeNames.has(name));

function isAsMaster(
  row: OccurrenceRow,
  master: CalendarEvent,
  times: ReturnType<typeof timesOf>,
  schedule: Schedule,
  date: LocalTime,
): boolean {
  const isOnTime =
    row.startAt.getTime() === times.startAt.getTime() &&
    row.endAt.getTime() === times.endAt.getTime() &&
    row.allDay === times.allDay &&
    row.timezone === times.timezone;
  return (
    isOnTime &&
    row.ownFields.length === 0 &&
    isRegular(schedule, date) &&
    sharedNames.every((name) => row[name] === master[name])
  );
}

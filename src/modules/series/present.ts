/** Series as they leave the server. */
import { isOneOf, type Queryable, sql } from '#pg';
import { describeRule, formatRule } from '#recurrence';
import type { Viewer } from '../../identity/caller.ts';
import { visibleCondition } from '../events/policy.ts';
import { type EventRow, toListedEvent, toOrganizer, type ViewerState } from '../events/present.ts';
import { selectEventRows } from '../events/repo.ts';
import type { Series as SeriesRow } from '../events/series/repo.ts';
import { clockOf, formatDate, lastDate, timesOf } from '../events/series/schedule.ts';
import type { PersonRow } from '../people/present.ts';
import type { Series } from './schemas.ts';

/** The next scheduled occurrence of each series that a viewer may see, by the id of the series. */
export async function findNextEvents(
  db: Queryable,
  seriesIds: string[],
  viewer: Viewer | null,
  now: Date,
): Promise<Map<string, EventRow>> {
  if (seriesIds.length === 0) return new Map();
  const next = await db.query<{ id: string }>(sql`
    select distinct on (e.series_id) e.id from events e
    where ${isOneOf(sql`e.series_id`, seriesIds)} and e.status = 'scheduled' and e.end_at > ${now} and ${visibleCondition(viewer)}
    order by e.series_id, e.start_at, e.id`);
  const ids = next.map(({ id }) => id);
  const rows =
    ids.length === 0 ? [] : await db.query<EventRow>(selectEventRows(sql`where ${isOneOf(sql`e.id`, ids)}`));
  return new Map(rows.map((row) => [`${row.seriesId}`, row]));
}

/** Those that the organizer excluded, and those of deleted occurrences. */
const excludedDatesOf = ({ excluded, deleted }: SeriesRow['schedule']): string[] =>
  [...new Set([...excluded, ...deleted])].sort();

export type Reader = {
  /** Of the `next` event; null without a token. */
  viewerState: ViewerState | null;
  language: string;
  publicUrl: string;
  now: Date;
};

export function toSeries(
  { id, organizerId, schedule, fields, status, createdAt }: SeriesRow,
  { organizer, next }: { organizer: PersonRow | null; next: EventRow | undefined },
  { viewerState, language, publicUrl, now }: Reader,
): Series {
  const { allDay, timezone, rule, first, extra } = schedule;
  const last = lastDate(schedule);
  const isOver = last !== null && timesOf(schedule, last).endAt <= now;
  return {
    id,
    organizer: toOrganizer({ organizerId }, organizer, publicUrl),
    title: fields.title,
    rrule: formatRule(rule, clockOf(schedule)),
    extraDates: extra.map((date) => formatDate(date, allDay)),
    excludedDates: excludedDatesOf(schedule),
    timezone,
    startAt: timesOf(schedule, first).startAt,
    until: last && formatDate(last, allDay),
    status: isOver ? 'ended' : status,
    createdAt,
    next: next ? { ...toListedEvent(next, publicUrl), ...viewerState } : null,
    ruleText: describeRule(rule, first, language),
  };
}

/** Series as they leave the server. */

import type { FastifyRequest } from 'fastify';
import { isOneOf, type Queryable, sql } from '#pg';
import { describeRule, formatRule } from '#recurrence';
import { versionOf } from '../../http/conditional.ts';
import { languageOf } from '../../http/request-language.ts';
import type { Viewer } from '../../identity/caller.ts';
import { findOpenSeriesRequests } from '../attendance/requests/repo.ts';
import { visibleCondition } from '../events/policy.ts';
import { type EventRow, toListedEvent, toOrganizer } from '../events/present.ts';
import { selectEventRows } from '../events/repo.ts';
import type { Series as SeriesRow } from '../events/series/repo.ts';
import { clockOf, formatDate, lastDate, timesOf } from '../events/series/schedule.ts';
import { findOwnSeriesRsvps } from '../events/series/series-rsvps.ts';
import type { EventServices } from '../events/services.ts';
import { listViewerStates } from '../events/viewer-states.ts';
import type { PersonRow } from '../people/present.ts';
import { listPeople } from '../people/repo.ts';
import type { Series } from './schemas.ts';

/** The next scheduled occurrence of each series that a viewer may see, by the id of the series. */
async function findNextEvents(
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

/** What `PATCH` changes, as it leaves the server. */
function dateFieldsOf({ schedule }: SeriesRow): Pick<Series, 'rrule' | 'extraDates' | 'excludedDates'> {
  const { rule, extra, excluded, deleted, allDay } = schedule;
  return {
    rrule: formatRule(rule, clockOf(schedule)),
    extraDates: extra.map((date) => formatDate(date, allDay)),
    // Those that the organizer excluded, and those of deleted occurrences.
    excludedDates: [...new Set([...excluded, ...deleted])].sort(),
  };
}

/** The version of a series, for `If-Match`: of what `PATCH` changes. */
export const versionOfSeries = (series: SeriesRow): string => versionOf(Object.values(dateFieldsOf(series)));

/** `viewer`: null without a token. */
type Reader = { viewer: Viewer | null; language: string; publicUrl: string; now: Date };

export const readerOf = async (
  services: EventServices,
  request: FastifyRequest,
  viewer: Viewer | null,
): Promise<Reader> => ({
  ...{ viewer, language: await languageOf(services, request) },
  ...{ publicUrl: services.config.publicUrl, now: services.clock() },
});

/**
 * Reads what the responses of some series have beside their rows: organizers, the next occurrences as a viewer sees them, and the
 * viewer's own RSVPs.
 * @param db the transaction that has written the series, if there is one
 * @returns a function that presents one of the series
 */
export async function seriesPresenter(
  db: Queryable,
  rows: Pick<SeriesRow, 'id' | 'organizerId'>[],
  reader: Reader,
): Promise<(row: SeriesRow) => Series> {
  const { viewer, now, publicUrl } = reader;
  const ids = rows.map(({ id }) => id);
  const nextBySeries = await findNextEvents(db, ids, viewer, now);
  const eventIds = [...nextBySeries.values()].map(({ id }) => id);
  const keys = viewer ? eventIds.map((eventId) => ({ eventId, userId: viewer.id })) : [];
  const [people, states, own, requests] = await Promise.all([
    listPeople(db, [...new Set(rows.map(({ organizerId }) => organizerId))]),
    keys.length > 0 ? listViewerStates(db, keys) : [],
    viewer ? findOwnSeriesRsvps(db, ids, viewer.id) : null,
    viewer ? findOpenSeriesRequests(db, ids, viewer.id) : null,
  ]);
  const stateOf = new Map(eventIds.map((id, i) => [id, states[i]]));
  const organizerOf = new Map(people.map((person) => [person.id, person]));
  return (row) => {
    const next = nextBySeries.get(row.id);
    const series = toSeries(row, {
      organizer: organizerOf.get(row.organizerId) ?? null,
      next: next ? { ...toListedEvent(next, publicUrl), ...stateOf.get(next.id) } : null,
      reader,
    });
    if (!own) return series;
    const myRequest = requests?.get(row.id);
    return { ...series, myRsvp: own.get(row.id) ?? null, ...(myRequest && { myRequest }) };
  };
}

function toSeries(
  row: SeriesRow,
  { organizer, next, reader }: { organizer: PersonRow | null; next: Series['next']; reader: Reader },
): Series {
  const { id, organizerId, schedule, fields, status, createdAt } = row;
  const { allDay, timezone, rule, first } = schedule;
  const { language, publicUrl, now } = reader;
  const last = lastDate(schedule);
  const isOver = last !== null && timesOf(schedule, last).endAt <= now;
  return {
    id,
    organizer: toOrganizer({ organizerId }, organizer, publicUrl),
    title: fields.title,
    ...dateFieldsOf(row),
    timezone,
    startAt: timesOf(schedule, first).startAt,
    until: last && formatDate(last, allDay),
    status: isOver ? 'ended' : status,
    createdAt,
    next,
    ruleText: describeRule(rule, first, language),
  };
}

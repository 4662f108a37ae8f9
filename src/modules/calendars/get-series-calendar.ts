import { mapInTurns, runInTurn } from '#base';
import { isOneOf, type Queryable, sql } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { Viewer } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { isOrganizer } from '../events/audience.ts';
import { visibleCondition } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import { selectEventRows } from '../events/repo.ts';
import { SeriesParams } from '../events/schemas.ts';
import { isOccurrence, type OccurrenceRow } from '../events/series/occurrences.ts';
import { findSeriesVersion, type Series } from '../events/series/repo.ts';
import { requireVisibleSeries } from '../events/series/visible-series.ts';
import { calendarResponse } from './calendar-response.ts';
import { maxDescriptionLength, maxEntries } from './entries.ts';
import { clean } from './people-lines.ts';
import { createEntryRenderer, fileName, renderCalendar } from './present.ts';
import { Calendar } from './schemas.ts';
import { toSeriesEntries } from './series-entries.ts';
import type { CalendarServices } from './services.ts';

export const getSeriesCalendar = defineEndpoint({
  method: 'GET',
  path: '/v1/series/:id/calendar.ics',
  summary: 'Read a series as a calendar',
  description:
    'A URL to subscribe to. One entry has the rule (RRULE) and the dates that are left out (EXDATE); dates that were changed or ' +
    'cancelled have RECURRENCE-ID; extra dates, and those that a clock change moves, are entries with their own UID. SEQUENCE rises ' +
    `for all entries together. Has the last ${maxEntries} dates that the caller may see, and those that are not made yet.`,
  caller: 'optional',
  limits: { turns: 'document' },
  params: SeriesParams,
  response: { 200: Calendar },
  etag: 'version',
  compressed: 'text',
  problems: ['series_not_found'],

  async handler({ caller, params }, { db, config, people }: CalendarServices) {
    const id = readId(params.id, 'series_not_found');
    // Read first: after a change meanwhile, the next response has a higher SEQUENCE than this one.
    const { sequence, changedAt } = await findSeriesVersion(db, id);
    const series = await requireVisibleSeries(db, id, caller);
    const occurrences = await listShown(db, id, caller);
    const organizer = await people.find(series.organizerId);
    const revised = occurrences.flatMap(({ sequence, updatedAt }) => (sequence > 0 ? [updatedAt] : []));
    const revisedAt = [changedAt ?? series.createdAt, ...revised].reduce((a, b) => (a > b ? a : b));
    const { entries, times } = toSeriesEntries({
      ...{ series, occurrences, version: { sequence, revisedAt } },
      template: maySeeTemplate(series, caller) ? series.fields : null,
      organizerName: organizer?.name ?? null,
    });
    const rendered = await mapInTurns(entries, createEntryRenderer(config.publicUrl, maxDescriptionLength));
    const [first] = rendered;
    if (first) first.times.push(...times);
    const calendar = await runInTurn(() => renderCalendar(rendered, { name: clean(series.fields.title) }));
    return calendarResponse({ calendar, fileName: fileName(series.fields.title), disposition: 'inline' });
  },
});

/** The last occurrences that a viewer sees, ascending by date. */
async function listShown(db: Queryable, id: string, viewer: Viewer | null): Promise<OccurrenceRow[]> {
  const found = await db.query<{ id: string }>(sql`
    select e.id from events e where e.series_id = ${id} and ${visibleCondition(viewer)}
    order by e.series_date desc limit ${maxEntries}`);
  if (found.length === 0) return [];
  const ids = found.map(({ id }) => id);
  const rows = await db.query<EventRow>(selectEventRows(sql`where ${isOneOf(sql`e.id`, ids)}`));
  return rows.filter(isOccurrence).sort((a, b) => (a.seriesDate < b.seriesDate ? -1 : 1));
}

/** Whether a viewer may see an event with the fields that later occurrences will have. */
const maySeeTemplate = (series: Series, viewer: Viewer | null): boolean =>
  series.fields.visibility !== 'private' || isOrganizer(series, viewer);

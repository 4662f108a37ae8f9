import { sql } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readId } from '../../lib/ids.ts';
import { loadListedEvents } from '../discovery/event-lists.ts';
import type { DiscoveryServices } from '../discovery/services.ts';
import { serializeCursorPage } from '../events/event-serializer.ts';
import { isVisible, visibleCondition } from '../events/policy.ts';
import { SeriesParams } from '../events/schemas.ts';
import { requireVisibleSeries } from '../events/series/visible-series.ts';
import { ByStartPage, byStart, type Position, readSlice, toSlicePage } from '../events/start-pages.ts';
import { SeriesEventsQuery } from './schemas.ts';

export const listSeriesEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/series/:id/events',
  summary: 'List the occurrences of a series',
  description: 'Those that the caller may see, cancelled ones with their status.',
  caller: 'optional',
  params: SeriesParams,
  query: SeriesEventsQuery,
  response: { 200: ByStartPage },
  problems: ['series_not_found'],
  compressed: 'text',

  async handler({ caller, params, query }, services: DiscoveryServices) {
    const { db, clock } = services;
    const { id } = await requireVisibleSeries(db, readId(params.id, 'series_not_found'), caller);
    const slice = { ...readSlice(query, clock()), when: query.when ?? ('upcoming' as const) };
    const found = await db.query<Position & { isPrivate: boolean }>(sql`
      select e.id, e.start_at, e.visibility = 'private' as is_private from events e
      where e.series_id = ${id} and ${visibleCondition(caller)} ${byStart(slice)}`);
    const { rows, nextCursor } = toSlicePage(found, query.limit);
    // An event that has become private since the list was read is left out.
    const seenPrivate = new Set(rows.filter(({ isPrivate }) => isPrivate).map(({ id }) => id));
    const loaded = await loadListedEvents(
      services,
      rows.map(({ id }) => id),
      caller,
      (event) => isVisible(event, caller, { isInvited: seenPrivate.has(event.id) }),
    );
    return {
      statusCode: 200,
      json: serializeCursorPage(
        loaded.filter((element) => element !== null),
        nextCursor,
      ),
    };
  },
});

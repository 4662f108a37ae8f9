import { maxId } from '#base';
import { sql } from '#pg';
import { readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { listSeriesRows } from '../events/series/repo.ts';
import type { EventServices } from '../events/services.ts';
import { readerOf, seriesPresenter } from './present.ts';
import { SeriesPage, SeriesQuery } from './schemas.ts';

export const listMySeries = defineEndpoint({
  method: 'GET',
  path: '/v1/me/series',
  tag: 'Me',
  summary: 'List the series that you organize',
  description: 'The newest first.',
  caller: 'fresh',
  query: SeriesQuery,
  response: { 200: SeriesPage },

  async handler({ caller, query, request }, services: EventServices) {
    const [before = maxId] = readCursor(query.cursor, 'id') ?? [];
    const found = await listSeriesRows(
      services.db,
      sql`where organizer_id = ${caller.id} and id < ${before} order by id desc limit ${query.limit + 1}`,
    );
    const { rows, nextCursor } = toPage(found, query.limit, ({ id }) => [id]);
    const present = await seriesPresenter(services.db, rows, await readerOf(services, request, caller));
    return { status: 200, body: { data: rows.map(present), nextCursor } };
  },
});

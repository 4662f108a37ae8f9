import { callerHeaders, contentHash, weakTag } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { serializerOf } from '../../http/serialization.ts';
import { readId } from '../../lib/ids.ts';
import { SeriesParams } from '../events/schemas.ts';
import { requireVisibleSeries } from '../events/series/visible-series.ts';
import type { EventServices } from '../events/services.ts';
import { readerOf, seriesPresenter, versionOfSeries } from './present.ts';
import { Series } from './schemas.ts';

const serialize = serializerOf(Series);

export const getSeries = defineEndpoint({
  method: 'GET',
  path: '/v1/series/:id',
  summary: 'Get a series of events',
  description: 'Visible to its organizer, to admins, and to people who may see one of its occurrences.',
  caller: 'optional',
  uncached: true,
  params: SeriesParams,
  response: { 200: Series },
  problems: ['series_not_found'],
  etag: 'version',
  compressed: 'text',

  async handler({ caller, params, request }, services: EventServices) {
    const id = readId(params.id, 'series_not_found');
    const { db } = services;
    const series = await requireVisibleSeries(db, id, caller);
    const present = await seriesPresenter(db, [series], await readerOf(services, request, caller));
    const json = serialize(present(series));
    return {
      statusCode: 200,
      json,
      headers: {
        etag: weakTag(versionOfSeries(series) + contentHash(json)),
        vary: `${callerHeaders}, Accept-Encoding, Accept-Language`,
        'cache-control': 'private, no-cache',
      },
    };
  },
});

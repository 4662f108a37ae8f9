import { callerHeaders, contentHash, versionOf, weakTag } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { languageOf } from '../../http/request-language.ts';
import { serializerOf } from '../../http/serialization.ts';
import type { Viewer } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import type { Series as SeriesRow } from '../events/series/repo.ts';
import type { EventServices } from '../events/services.ts';
import { requireVisibleSeries } from './policy.ts';
import { findNextEvents, toSeries } from './present.ts';
import { Series, SeriesParams } from './schemas.ts';

const serialize = serializerOf(Series);

/** The version of a series, for `If-Match`: of what `PATCH` changes. */
export const versionOfSeries = ({ rrule, extraDates, excludedDates }: Series): string =>
  versionOf([rrule, extraDates, excludedDates]);

export const getSeries = defineEndpoint({
  method: 'GET',
  path: '/v1/series/:id',
  summary: 'Get a series of events',
  description: 'Visible to its organizer, to admins, and to whoever may see one of its occurrences.',
  caller: 'optional',
  params: SeriesParams,
  response: { 200: Series },
  problems: ['series_not_found'],
  etag: 'version',
  compressed: 'text',

  async handler({ caller, params, request }, services: EventServices) {
    const id = readId(params.id, 'series_not_found');
    const series = await requireVisibleSeries(services.db, id, caller);
    const [body] = await presentSeries(services, [series], caller, await languageOf(services, request));
    const json = body ? serialize(body) : '';
    const version = body ? versionOfSeries(body) : '';
    return {
      statusCode: 200,
      json,
      headers: {
        etag: weakTag(version + contentHash(json)),
        vary: `${callerHeaders}, Accept-Encoding, Accept-Language`,
        'cache-control': 'private, no-cache',
      },
    };
  },
});

/** Presents series with their next occurrences, as a viewer sees them. */
export async function presentSeries(
  { db, clock, people, viewerStates, config }: EventServices,
  rows: SeriesRow[],
  viewer: Viewer | null,
  language: string,
): Promise<Series[]> {
  const now = clock();
  const nextBySeries = await findNextEvents(
    db,
    rows.map(({ id }) => id),
    viewer,
    now,
  );
  const eventIds = [...nextBySeries.values()].map(({ id }) => id);
  const [organizers, states] = await Promise.all([
    Promise.all(rows.map(({ organizerId }) => people.find(organizerId))),
    viewer && eventIds.length > 0 ? viewerStates.findMany({ userId: viewer.id, eventIds }) : [],
  ]);
  const stateOf = new Map(eventIds.map((id, i) => [id, states[i] ?? null]));
  return rows.map((row, i) => {
    const next = nextBySeries.get(row.id);
    const viewerState = next ? (stateOf.get(next.id) ?? null) : null;
    const reader = { viewerState, language, publicUrl: config.publicUrl, now };
    return toSeries(row, { organizer: organizers[i] ?? null, next }, reader);
  });
}

/** Sources as they leave the server. */
import type { Queryable } from '#pg';
import { countSourceEvents } from '../../events/source-imports.ts';
import type { Source as SourceBody } from './schemas.ts';
import { keyPrefixOf, type Source } from './source-repo.ts';
import { listReviews } from './source-runs.ts';

/** @param sources of one person */
export async function toSources(db: Queryable, userId: string, sources: Source[]): Promise<SourceBody[]> {
  if (sources.length === 0) return [];
  const [counts, reviews] = await Promise.all([countSourceEvents(db, userId), listReviews(db, userId)]);
  return sources.map(({ id, url, autoPublish, lastGoodAt, problem, addressHash }) => ({
    ...{ id, url, autoPublish, lastGoodAt, problem },
    eventsCount: counts.get(keyPrefixOf(addressHash)) ?? 0,
    importId: reviews.get(id) ?? null,
  }));
}

export async function toSource(db: Queryable, source: Source): Promise<SourceBody> {
  const [body] = await toSources(db, source.userId, [source]);
  if (!body) throw new Error('the source is not presented');
  return body;
}

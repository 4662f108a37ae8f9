import { unlessLate } from '#fresh-records';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { Viewer } from '../../identity/caller.ts';
import { loadListedEvents } from '../discovery/event-lists.ts';
import { serializeCursorPage } from '../events/event-serializer.ts';
import { isListed } from '../events/policy.ts';
import { firstPosition, readSlice, toSlicePage } from '../events/start-pages.ts';
import { serializeReasons, toReasons } from './present.ts';
import { type FeedElement, maxFollowed } from './repo.ts';
import { FeedPage, FeedQuery } from './schemas.ts';
import type { FeedServices } from './services.ts';

/** The response is composed of serialized fragments. */
export const getFeed = defineEndpoint({
  method: 'GET',
  path: '/v1/feed',
  summary: 'List the events that people whom you follow organize or go to',
  description:
    'Public events that have not ended, by start, each once, with the people who organize them or go to them. ' +
    'Events of organizers between whom and the caller there is a block are left out, and so are RSVPs of people ' +
    'whose profile the caller may not see. Events that are added between two pages do not repeat or skip others. ' +
    `Of more than ${maxFollowed.toLocaleString('en')} followed people, the feed includes that many.`,
  caller: 'fresh',
  query: FeedQuery,
  response: { 200: FeedPage },
  compressed: 'text',

  async handler({ caller, query }, services: FeedServices) {
    const slice = readSlice(query, services.clock());
    const { now, after, limit, collapse } = slice;
    const found = await services.findFeed({
      ...{ viewer: caller, now, after: after ?? firstPosition, limit, collapse },
    });
    const { rows, nextCursor } = toSlicePage(found, query.limit, slice);
    const elements = await loadElements(services, rows, caller);
    return { statusCode: 200, json: serializeCursorPage(elements, nextCursor) };
  },
});

/** Loads events and people. Events that were hidden, changed or deleted after the query are left out. */
async function loadElements(services: FeedServices, rows: FeedElement[], viewer: Viewer) {
  const ids = rows.map(({ id }) => id);
  const [listed, people] = await Promise.all([
    loadListedEvents(services, ids, viewer, isListed),
    Promise.all(rows.map((row) => Promise.all(row.people.map((id) => unlessLate(services.people.find(id)))))),
  ]);
  return rows.flatMap((row, i) => {
    const event = listed[i];
    if (!event) return [];
    const reasons = toReasons(row, people[i] ?? [], services.config.publicUrl);
    return [{ ...event, extraJson: serializeReasons(reasons) }];
  });
}

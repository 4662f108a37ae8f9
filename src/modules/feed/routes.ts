import { createLoader } from '../../db/batching.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { readCursor } from '../../http/cursors.ts';
import { route, sendJson } from '../../http/route.ts';
import type { Viewer } from '../../identity/caller.ts';
import type { Deps } from '../../server/build-app.ts';
import { cursorPageBytes } from '../events/event-serializer.ts';
import { loadListedEvents } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import { theBeginning, toSlicePage } from '../events/start-pages.ts';
import { findFeed } from './find.ts';
import { toReasons } from './present.ts';
import { type EventQuery, type Found, maxFollowed } from './repo.ts';
import { FeedPage, FeedQuery } from './schemas.ts';

/** What the people whom the caller follows are up to. */
export function feedRoutes(app: App, { db, config, clock, events, people, viewerStates }: Deps): void {
  // Few at once, so that the feeds of people who follow thousands leave connections to those who read a row.
  let turn = 0;
  const findInTurn = createLoader<EventQuery, Found[]>(
    async ([eventQuery]) => (eventQuery ? [await findFeed(db, eventQuery)] : []),
    {
      keyOf: () => `${turn++}`,
      concurrency: 3,
      maxBatchSize: 1,
    },
  );

  app.get(
    '/v1/feed',
    route({
      name: 'getFeed',
      access: 'required',
      tag: 'Events',
      summary: 'What the people whom you follow organize and go to',
      description:
        'Public events that have not ended, by start, each once, with the people who are the reason. Nothing organized ' +
        'by somebody whom a block stands between, and no answers of people whose profile the caller may not see. ' +
        'The cursor is a place in that order: what is added meanwhile makes nothing come twice or never. Of more than ' +
        `${maxFollowed.toLocaleString('en')} people whom somebody follows the feed takes that many.`,
      querystring: FeedQuery,
      response: { 200: FeedPage },
      compressFrom: largeText,
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const { cursor, limit } = request.query;
      const place = readCursor(cursor, 'time', 'id');
      const after = place ? { startAt: place[0], id: place[1] } : theBeginning;
      const found = await findInTurn({ viewer, now: clock(), after, limit: limit + 1 });
      const { rows, nextCursor } = toSlicePage(found, limit);
      return sendJson(reply, cursorPageBytes(await show(rows, viewer), nextCursor, config.publicUrl));
    },
  );

  const show = async (rows: Found[], viewer: Viewer) => {
    const ids = rows.map(({ id }) => id);
    const [listed, persons] = await Promise.all([
      loadListedEvents({ events, viewerStates }, ids, viewer, isListed),
      Promise.all(rows.map((row) => Promise.all(row.people.map((id) => people.find(id))))),
    ]);
    return rows.flatMap((row, i) => {
      const event = listed[i];
      if (!event) return [];
      const reasons = toReasons(row, persons[i] ?? [], config.publicUrl);
      return [{ ...event, more: `,${JSON.stringify(reasons).slice(1, -1)}` }];
    });
  };
}

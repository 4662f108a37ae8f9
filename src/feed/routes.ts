import type { App, Deps } from '../app.ts';
import { coalesceReads } from '../db/coalesce.ts';
import { isListed } from '../events/access.ts';
import { theBeginning, toSlicePage } from '../events/by-start.ts';
import { cursorPageBytes } from '../events/bytes.ts';
import { showEvents } from '../events/shown.ts';
import { largeText } from '../http/compression.ts';
import { readCursor } from '../http/cursors.ts';
import { route, sendJson } from '../http/route.ts';
import { signedIn, type Viewer } from '../http/viewer.ts';
import { findFeed } from './find.ts';
import { type Found, mostFollowed, type Wanted } from './queries.ts';
import { FeedPage, FeedQuery } from './schemas.ts';
import { toReasons } from './views.ts';

/** What the people whom the caller follows are up to. */
export function feedRoutes(app: App, { sql, config, clock, reads }: Deps): void {
  // Few at once, so that the feeds of people who follow thousands leave connections to those who read a row.
  let turn = 0;
  const findInTurn = coalesceReads<Wanted, Found[]>(
    async ([wanted]) => (wanted ? [await findFeed(sql, wanted)] : []),
    {
      keyOf: () => `${turn++}`,
      atOnce: 3,
      most: 1,
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
        `${mostFollowed.toLocaleString('en')} people whom somebody follows the feed takes that many.`,
      querystring: FeedQuery,
      response: { 200: FeedPage },
      compressFrom: largeText,
    }),
    async (request, reply) => {
      const viewer = signedIn(request);
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
    const [events, people] = await Promise.all([
      showEvents(reads, ids, viewer, isListed),
      Promise.all(rows.map(({ people }) => Promise.all(people.map((id) => reads.known.person(id))))),
    ]);
    return rows.flatMap((row, i) => {
      const event = events[i];
      if (!event) return [];
      const reasons = toReasons(row, people[i] ?? [], config.publicUrl);
      return [{ ...event, more: `,${JSON.stringify(reasons).slice(1, -1)}` }];
    });
  };
}

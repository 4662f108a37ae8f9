/** Who brings what, for the event's organizer. */

import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { Problem } from '../../lib/errors.ts';
import { readId, readItemId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { isVisible, requireOrganizer } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import { toGivenClaim } from './present.ts';
import { findClaimAccess, listClaims } from './repo.ts';
import { ClaimListQuery, ClaimPage, ItemParams } from './schemas.ts';

export function claimListRoutes(app: App, { db, events, people, config }: Deps): void {
  const page = async (
    of: { eventId: string; n?: number },
    { cursor, limit }: { cursor?: string; limit: number },
  ) => {
    const found = await listClaims(db, of, readCursor(cursor, 'number', 'id'), limit + 1);
    const { rows, nextCursor } = toPage(found, limit, ({ n, id }) => [n, id]);
    const persons = await Promise.all(rows.map(({ userId }) => people.find(userId)));
    const claims = rows.map((row, i) => toGivenClaim(row, persons[i] ?? null, config.publicUrl));
    return { data: claims.filter((claim) => claim !== null), nextCursor };
  };

  app.get(
    '/v1/items/:id/claims',
    route({
      name: 'listItemClaims',
      access: 'required',
      tag: 'Items',
      summary: 'Who brings an item',
      description: "For the event's organizer and admins, in the order in which claims were made.",
      params: ItemParams,
      querystring: ClaimListQuery,
      response: { 200: ClaimPage },
      compressFrom: largeText,
      problems: ['item_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readItemId(request.params.id);
      const access = await findClaimAccess(db, id, viewer);
      if (!access) throw new Problem('item_not_found');
      requireOrganizer(access, viewer);
      return page(id, request.query);
    },
  );

  app.get(
    '/v1/events/:id/claims',
    route({
      name: 'listEventClaims',
      access: 'required',
      tag: 'Items',
      summary: 'Who brings what',
      description: "For the event's organizer and admins, by item; on one item in the order of claiming.",
      params: EventParams,
      querystring: ClaimListQuery,
      response: { 200: ClaimPage },
      compressFrom: largeText,
      problems: ['event_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      const event = await events.find(id, viewer);
      if (!event || !isVisible(event.row, viewer)) throw new Problem('event_not_found');
      requireOrganizer(event.row, viewer);
      return page({ eventId: id }, request.query);
    },
  );
}

import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { readCursor, toPage } from '../../http/cursors.ts';
import { route, sendJson } from '../../http/route.ts';
import type { Deps } from '../../server/build-app.ts';
import { serializeCursorPage } from '../events/event-serializer.ts';
import { loadListedEvents } from '../events/load-listed-events.ts';
import { isVisible } from '../events/policy.ts';
import { ByStartPage, readSlice, toSlicePage } from '../events/start-pages.ts';
import { OwnClaimPage, OwnClaimsQuery, OwnEventsQuery } from './own-list-schemas.ts';
import { listOwnClaims, listOwnEvents } from './own-lists.ts';
import { toOwnClaim } from './present-own-lists.ts';

/** What the caller has to do with: their events and claims. Whom they blocked: users/list-routes.ts. */
export function ownListRoutes(app: App, { db, config, clock, events, viewerStates }: Deps): void {
  app.get(
    '/v1/me/events',
    route({
      name: 'listMyEvents',
      access: 'required',
      tag: 'Me',
      summary: 'The events that you organize, go to, are interested in or saved',
      description:
        'Past ones too, and your own also while they are private or cancelled. What others have hidden since is left out.',
      querystring: OwnEventsQuery,
      response: { 200: ByStartPage },
      compressFrom: largeText,
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const { relation, limit } = request.query;
      const found = await listOwnEvents(db, viewer, relation, readSlice(request.query, clock()));
      const { rows, nextCursor } = toSlicePage(found, limit);
      const ids = rows.map((row) => row.id);
      const shown = await loadListedEvents({ events, viewerStates }, ids, viewer, (event) =>
        isVisible(event, viewer),
      );
      const elements = shown.filter((element) => element !== null);
      return sendJson(reply, serializeCursorPage(elements, nextCursor, config.publicUrl));
    },
  );

  app.get(
    '/v1/me/claims',
    route({
      name: 'listMyClaims',
      access: 'required',
      tag: 'Me',
      summary: 'What you bring or give',
      description:
        'Your claims, the newest first, with the item and the event of each. Claims on events that you may no longer ' +
        'see are left out, since title and time of the event are hidden then; you can still reduce or give back such a ' +
        "claim by the item's id, and GET /v1/me/export lists it.",
      querystring: OwnClaimsQuery,
      response: { 200: OwnClaimPage },
      compressFrom: largeText,
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const { cursor, limit } = request.query;
      const found = await listOwnClaims(db, viewer, readCursor(cursor, 'id')?.[0] ?? null, limit + 1);
      const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
      return { data: rows.map(toOwnClaim), nextCursor };
    },
  );
}

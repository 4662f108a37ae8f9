import type { App } from '../../http/app.ts';
import { largeText } from '../../http/compression.ts';
import { route, sendJson } from '../../http/route.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { cursorPageBytes } from '../events/event-serializer.ts';
import { loadListedEvents } from '../events/load-listed-events.ts';
import { isListed } from '../events/policy.ts';
import { ByStartPage, ByStartQuery, readSlice, toSlicePage } from '../events/start-pages.ts';
import { listOrganized } from './follow-lists.ts';
import { requireProfile } from './policy.ts';
import { UserParams } from './schemas.ts';

/** Who is around a person, and what they organize. */
export function userListRoutes(app: App, { db, config, clock, events, viewerStates }: Deps): void {
  app.get(
    '/v1/users/:id/events',
    route({
      name: 'listUserEvents',
      access: 'optional',
      tag: 'People',
      summary: 'The public events that a person organizes',
      description: 'Past ones too. For those who may see the profile.',
      params: UserParams,
      querystring: ByStartQuery,
      response: { 200: ByStartPage },
      compressFrom: largeText,
      problems: ['user_not_found', 'profile_private'],
    }),
    async (request, reply) => {
      const { caller: viewer, query } = request;
      const id = readId(request.params.id, 'user_not_found');
      await requireProfile(db, id, viewer);
      const found = await listOrganized(db, id, readSlice(query, clock()));
      const { rows, nextCursor } = toSlicePage(found, query.limit);
      const shown = await loadListedEvents(
        { events, viewerStates },
        rows.map((row) => row.id),
        viewer,
        isListed,
      );
      const elements = shown.filter((element) => element !== null);
      return sendJson(reply, cursorPageBytes(elements, nextCursor, config.publicUrl));
    },
  );
}

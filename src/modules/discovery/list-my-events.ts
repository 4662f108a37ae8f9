import { Type } from 'typebox';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { oneOf } from '../../http/schemas.ts';
import { serializeCursorPage } from '../events/event-serializer.ts';
import { isVisible } from '../events/policy.ts';
import { ByStartPage, ByStartQuery, collapse, readSlice, toSlicePage } from '../events/start-pages.ts';
import { loadListedEvents } from './event-lists.ts';
import { eventRelations, listOwnEvents } from './own-events.ts';
import type { DiscoveryServices } from './services.ts';

const OwnEventsQuery = Type.Object({
  relation: oneOf(eventRelations, { description: 'How the caller takes part in the events.' }),
  collapse,
  ...ByStartQuery.properties,
});

export const listMyEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/me/events',
  tag: 'Me',
  summary: 'List the events that you organize, go to, are interested in or saved',
  description:
    'Includes past events, and your own private and cancelled events. Leaves out events that their organizers have ' +
    'hidden from you since.',
  caller: 'fresh',
  query: OwnEventsQuery,
  response: { 200: ByStartPage },
  compressed: 'text',

  async handler({ caller, query }, services: DiscoveryServices) {
    const { db, clock } = services;
    const slice = readSlice(query, clock());
    const found = await listOwnEvents(db, caller, query.relation, slice);
    const { rows, nextCursor } = toSlicePage(found, query.limit, slice);
    const ids = rows.map((row) => row.id);
    // An event that has become private since the list was read is left out.
    const seenPrivate = new Set(rows.filter(({ isPrivate }) => isPrivate).map(({ id }) => id));
    const listed = await loadListedEvents(services, ids, caller, (event) =>
      isVisible(event, caller, { isInvited: seenPrivate.has(event.id) }),
    );
    const elements = listed.filter((element) => element !== null);
    return { statusCode: 200, json: serializeCursorPage(elements, nextCursor) };
  },
});

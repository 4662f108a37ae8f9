import { parseId } from '#base';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { EventHighlightsList, EventHighlightsQuery } from './highlight-schemas.ts';
import { findHighlights } from './highlights.ts';
import type { DiscoveryServices } from './services.ts';

/** What a list shows beside the records of its events. It is read apart, so that lists stay as fast as their index. */
export const getEventHighlights = defineEndpoint({
  method: 'GET',
  path: '/v1/events/highlights',
  summary: 'Get what a list shows beside its events',
  description:
    'For each of the events that the caller may see, in the order of `ids`: some of the people who are going, if the ' +
    'caller may list the guests (GET /v1/events/{id}/guests), the booked seats, and how many things of the bring-list are ' +
    'still needed. Other events are left out.',
  caller: 'optional',
  query: EventHighlightsQuery,
  response: { 200: EventHighlightsList },
  etag: 'content',

  async handler({ caller, query }, services: DiscoveryServices) {
    const ids = [...new Set(query.ids.split(',').flatMap((id) => parseId(id) ?? []))];
    return { status: 200, body: { data: await findHighlights(services, ids, caller) } };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { invalid } from '../../lib/errors.ts';
import { serializePage } from '../events/event-serializer.ts';
import { EventPage } from '../events/schemas.ts';
import { readEventQuery } from './event-query.ts';
import { EventSearchQuery } from './schemas.ts';
import type { DiscoveryServices } from './services.ts';

/** The response is composed of serialized fragments. */
export const searchEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/events/search',
  summary: 'Search public events',
  description:
    'The best match first. An event must have each word of `q`, as a word or as the start of a word.',
  access: 'optional',
  query: EventSearchQuery,
  response: { 200: EventPage },
  compressed: 'text',

  async handler({ caller, query: { q, page, limit }, request }, services: DiscoveryServices) {
    const { lists, clock } = services;
    if (q.trim() === '') throw invalid('q', 'must not be empty', 'required');
    const { listed, total } = await lists.elements({
      query: readEventQuery({ q }, clock()),
      order: 'relevance',
      slice: { page, limit },
      viewer: caller,
      address: request.ip,
    });
    return { statusCode: 200, json: serializePage(listed, { total, page, limit }) };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { invalid } from '../../lib/errors.ts';
import { serializePage } from '../events/event-serializer.ts';
import { EventPage } from '../events/schemas.ts';
import { readEventQuery, readOrder } from './event-query.ts';
import { EventListQuery, EventSearchQuery } from './schemas.ts';
import type { DiscoveryServices } from './services.ts';
import { readSelection } from './updated-events.ts';

const common = {
  method: 'GET',
  caller: 'optional',
  response: { 200: EventPage },
  etag: 'content',
  compressed: 'text',
} as const;

/** The response is composed of serialized fragments. */
export const listEvents = defineEndpoint({
  ...common,
  path: '/v1/events',
  summary: 'List public events',
  description:
    'By start, unless `order` says otherwise. Without dates: events that have not ended yet; with a date: events that ' +
    'overlap the range. With a token, events of people whom the caller blocked are left out. With `order=updated` and ' +
    '`updatedSince`, a program keeps a copy of all public events.',
  query: EventListQuery,
  problems: ['updated_since_too_old'],

  async handler({ caller, query, request }, { lists, listUpdated, clock }: DiscoveryServices) {
    const { page, limit, order } = query;
    if (order === 'updated' || query.updatedSince !== undefined) {
      const selection = readSelection(query, clock());
      const found = await listUpdated({ ...selection, viewer: caller, address: request.ip });
      const { elements, total, sync } = found;
      return { statusCode: 200, json: serializePage(elements, { total, page, limit }, sync) };
    }
    const { listed, total } = await lists.elements({
      query: { ...readEventQuery(query, clock()), collapse: query.collapse === 'series' },
      order: readOrder(order, query),
      slice: { page, limit },
      viewer: caller,
      address: request.ip,
    });
    return { statusCode: 200, json: serializePage(listed, { total, page, limit }) };
  },
});

/** The response is composed of serialized fragments. */
export const searchEvents = defineEndpoint({
  ...common,
  path: '/v1/events/search',
  summary: 'Search public events',
  description:
    'The best match first. An event must have each word of `q`, as a word or as the start of a word.',
  query: EventSearchQuery,

  async handler({ caller, query: { q, collapse, page, limit }, request }, services: DiscoveryServices) {
    const { lists, clock } = services;
    if (q.trim() === '') throw invalid('q', 'must not be empty', 'required');
    const { listed, total } = await lists.elements({
      query: { ...readEventQuery({ q }, clock()), collapse: collapse === 'series' },
      order: 'relevance',
      slice: { page, limit },
      viewer: caller,
      address: request.ip,
    });
    return { statusCode: 200, json: serializePage(listed, { total, page, limit }) };
  },
});

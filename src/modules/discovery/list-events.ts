import { defineEndpoint } from '../../http/define-endpoint.ts';
import { serializePage } from '../events/event-serializer.ts';
import { EventPage } from '../events/schemas.ts';
import { readEventQuery } from './event-query.ts';
import { EventListQuery } from './schemas.ts';
import type { DiscoveryServices } from './services.ts';

/** The response is composed of serialized fragments. */
export const listEvents = defineEndpoint({
  method: 'GET',
  path: '/v1/events',
  summary: 'List public events',
  description:
    'By start, unless `order` says otherwise. Without dates: events that have not ended yet; with a date: events that ' +
    'overlap the range. With a token, events of people whom the caller blocked are left out.',
  access: 'optional',
  query: EventListQuery,
  response: { 200: EventPage },
  compressed: 'text',

  async handler({ caller, query, request }, { lists, clock }: DiscoveryServices) {
    const { page, limit } = query;
    const { listed, total } = await lists.elements({
      query: readEventQuery(query, clock()),
      order: query.order ?? 'start',
      slice: { page, limit },
      viewer: caller,
      address: request.ip,
    });
    return { statusCode: 200, json: serializePage(listed, { total, page, limit }) };
  },
});

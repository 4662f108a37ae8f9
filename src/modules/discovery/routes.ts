import type { FastifyReply } from 'fastify';
import type { App } from '../../http/app.ts';
import { largeText } from '../../http/compression.ts';
import { route, sendJson } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import type { Viewer } from '../../identity/caller.ts';
import { invalid } from '../../lib/errors.ts';
import { readFrom, readUntil } from '../../lib/time.ts';
import type { Deps } from '../../server/build-app.ts';
import { pageBytes } from '../events/event-serializer.ts';
import {
  type EventListQuery,
  EventListQuery as EventListQuerySchema,
  EventPage,
  EventSearchQuery,
} from '../events/schemas.ts';
import { searchQuery } from '../events/search-words.ts';
import type { EventQuery, Order } from './event-lists.ts';
import type { Slice } from './timeline-page.ts';

const defaultRadiusKm = 50;

export function eventListRoutes(app: App, { config, clock, lists }: Deps): void {
  const answer = async (
    reply: FastifyReply,
    eventQuery: EventQuery,
    order: Order,
    { page, limit }: Slice,
    viewer: Viewer | null,
  ) => {
    const { listed, total } = await lists(eventQuery, order, { page, limit }, viewer);
    return sendJson(reply, pageBytes(listed, { total, page, limit }, config.publicUrl));
  };

  // Spec 4.9
  app.get(
    '/v1/events',
    route({
      name: 'listEvents',
      access: 'optional',
      tag: 'Events',
      summary: 'List public events',
      description:
        'By start. Without dates: what has not ended yet; with either: what overlaps the range. With a token, events ' +
        'of people whom the caller blocked are left out.',
      querystring: EventListQuerySchema,
      response: { 200: ref(EventPage) },
      compressFrom: largeText,
    }),
    async (request, reply) =>
      answer(reply, readEventQuery(request.query, clock()), 'start', request.query, request.caller),
  );

  // Spec 4.10
  app.get(
    '/v1/events/search',
    route({
      name: 'searchEvents',
      access: 'optional',
      tag: 'Events',
      summary: 'Search public events',
      description: 'The best match first. Every word of `q` must be there, as a word or as the start of one.',
      querystring: EventSearchQuery,
      response: { 200: ref(EventPage) },
      compressFrom: largeText,
    }),
    async (request, reply) => {
      if (request.query.q.trim() === '') throw invalid('q', 'must not be empty');
      const eventQuery = readEventQuery({ q: request.query.q }, clock());
      return answer(reply, eventQuery, 'relevance', request.query, request.caller);
    },
  );
}

/** @throws Problem `invalid_request` for what the schema cannot say: which parameters need which others */
export function readEventQuery(query: Partial<EventListQuery>, now: Date): EventQuery {
  const { lat, lng, radius } = query;
  if (lat !== undefined && lng === undefined) throw invalid('lng', 'is required with lat');
  if (lng !== undefined && lat === undefined) throw invalid('lat', 'is required with lng');
  if (radius !== undefined && lat === undefined) throw invalid('radius', 'needs lat and lng');
  const from = readFrom(query.dateFrom);
  const until = readUntil(query.dateTo);
  if (from && until && until < from) throw invalid('dateTo', 'must not be before dateFrom');
  const q = query.q?.trim() ?? '';
  return {
    circle: lat !== undefined && lng !== undefined ? { lat, lng, radius: radius ?? defaultRadiusKm } : null,
    category: query.category || null,
    from: from ?? (until ? null : now),
    until,
    search: q === '' ? null : searchQuery(q),
  };
}

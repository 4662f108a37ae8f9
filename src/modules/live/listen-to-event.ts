import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ContentResponse, defineEndpoint, STREAMED } from '../../http/define-endpoint.ts';
import type { Caller } from '../../identity/caller.ts';
import { readId } from '../../lib/ids.ts';
import { EventParams } from '../events/schemas.ts';
import type { Hub } from './hub.ts';
import { type LiveState, snapshotMessage } from './present.ts';
import { LiveData, LiveHeaders, LiveQuery } from './schemas.ts';
import type { LiveServices } from './services.ts';
import { mediaType, type Stream } from './stream.ts';

export const listenToEvent = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/live',
  summary: 'Listen to changes of the counts and items of an event',
  description:
    'Server-sent events: first a `snapshot`, then each change within half a second, whichever server made it. Only the ' +
    '500 newest items are included. A client that reconnects with `Last-Event-ID` gets a `snapshot` only if something ' +
    'has changed. A stream with a token ends when the token expires, at the latest: refresh the token and reconnect. An ' +
    '`EventSource` of a page of this server sends the cookie of its browser session. ' +
    'At most 20 streams may be open for each person; at most 200 without a token, and 1,000 in total, for each address. ' +
    'A request with `once` counts as a stream until its response begins.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  uncached: true,
  params: EventParams,
  query: LiveQuery,
  headers: LiveHeaders,
  response: { 200: LiveData },
  problems: ['event_not_found'],

  async handler({ caller, params, query, request, reply }, services: LiveServices) {
    const eventId = readId(params.id, 'event_not_found');
    const release = services.streams.reserve({ caller, address: request.ip });
    if (query.once || request.method === 'HEAD') {
      return snapshotOf(services.hub, eventId, caller).finally(release);
    }
    const header = request.headers['last-event-id'];
    const lastId = typeof header === 'string' ? header : query.lastEventId;
    await stream(services, eventId, { request, reply, lastId, release });
    return STREAMED;
  },
});

/** A response with the current state alone. */
async function snapshotOf(hub: Hub, eventId: string, caller: Caller | null): Promise<ContentResponse> {
  const current = Promise.withResolvers<LiveState>();
  await hub.subscribe(eventId, caller, (state) => {
    current.resolve(state);
    return null;
  });
  return { statusCode: 200, contentType: mediaType, content: snapshotMessage(await current.promise) };
}

type StreamRequest = {
  request: FastifyRequest;
  reply: FastifyReply;
  lastId: string | undefined;
  /** Releases the reservation of the stream. */
  release: () => void;
};

/** Resolves when the stream has begun. @throws the problems of `Hub.subscribe` */
async function stream(
  { hub, streams }: LiveServices,
  eventId: string,
  { request, reply, lastId, release }: StreamRequest,
): Promise<void> {
  const { caller } = request;
  let subscriber: Stream | null = null;
  const onClose = () => {
    release();
    if (subscriber) hub.unsubscribe(eventId, subscriber);
  };
  try {
    await hub.subscribe(eventId, caller, (state) => {
      // The request may have timed out, or the client disconnected, before the first state.
      if (!reply.sent && !reply.raw.destroyed) subscriber = streams.open(reply, state, lastId, onClose);
      return subscriber;
    });
  } finally {
    if (!subscriber) release();
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../http/app.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { readId } from '../../lib/ids.ts';
import { networkOf } from '../../lib/ip-address.ts';
import type { Deps } from '../../server/build-app.ts';
import { EventParams } from '../events/schemas.ts';
import { Hub, type Listener } from './hub.ts';
import { type LiveState, snapshotMessage } from './present.ts';
import { LiveData, LiveHeaders, LiveQuery } from './schemas.ts';
import { mediaType, Streams } from './streams.ts';

export function liveRoutes(app: App, { db, changeLog, sessions, clock }: Deps): void {
  const hub = new Hub({ db, changeLog, sessions, clock });
  const streams = new Streams(clock);
  // Before the server waits for what is under way: streams never end by themselves.
  app.addHook('preClose', async () => {
    hub.close();
    streams.close();
  });

  /** One snapshot. */
  const show = async (id: string, { caller: viewer }: FastifyRequest, reply: FastifyReply) => {
    const shown = Promise.withResolvers<LiveState>();
    await hub.listen(id, viewer, (state) => {
      shown.resolve(state);
      return null;
    });
    const state = await shown.promise;
    return reply.sent ? reply : reply.type(mediaType).send(snapshotMessage(state));
  };

  const stream = async (id: string, request: FastifyRequest, reply: FastifyReply, lastId?: string) => {
    const { caller: viewer } = request;
    const giveBack = streams.take(viewer?.id ?? networkOf(request.ip));
    let listener: Listener | null = null;
    const leave = () => {
      giveBack();
      if (listener) hub.leave(id, listener);
    };
    try {
      await hub.listen(id, viewer, (state) => {
        // Whoever waited too long has been refused by now, or has gone.
        if (!reply.sent && !reply.raw.destroyed) listener = streams.begin(reply, state, lastId, leave);
        return listener;
      });
    } finally {
      if (!listener) giveBack();
    }
    return reply;
  };

  app.get(
    '/v1/events/:id/live',
    route({
      name: 'listenToEvent',
      access: 'optional',
      tag: 'Events',
      summary: 'Counts and items of an event as they change',
      description:
        'Server-sent events. First a `snapshot`, then what changes, within half a second and on whichever server it ' +
        'was changed; of the items, the 500 that were added last. A client that comes back with `Last-Event-ID` gets ' +
        'a `snapshot` only if something has changed. With a token the stream ends with the token, at the latest: ' +
        'refresh it and come back. Up to 20 streams for each person or, without a token, each address.',
      params: EventParams,
      querystring: LiveQuery,
      headers: LiveHeaders,
      response: { 200: ref(LiveData) },
      problems: ['event_not_found'],
    }),
    async (request, reply) => {
      const id = readId(request.params.id, 'event_not_found');
      if (request.query.once || request.method === 'HEAD') return show(id, request, reply);
      return stream(id, request, reply, request.headers['last-event-id'] ?? request.query.lastEventId);
    },
  );
}

/**
 * Watches the responses that clients read slowly. A client that reads nothing for `stallTimeoutMs` loses its
 * connection, and the unread responses of one client network are limited: each of them holds a connection, a
 * buffer and possibly an open file.
 *
 * A client that keeps reading, however slowly, keeps its response. One timer looks at all responses. A
 * response counts as unread when the timer sees it for the second time; most are complete long before.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { shareOf } from '#base';
import { streams as streamMetrics } from '../metrics.ts';
import type { OpenRequests } from './open-requests.ts';

/** The time that a client may read nothing of a response. */
export const stallTimeoutMs = 15_000;
/**
 * The unread responses of one client network. A hundred phones behind one address that load four pictures each over a
 * slow line stay within it. Streams have limits of their own (modules/live/streams.ts).
 */
export const maxUnreadPerNetwork = shareOf(400);
const checkIntervalMs = 250;

export function registerUnreadResponses(app: FastifyInstance, open: OpenRequests): void {
  const timer = setInterval(() => {
    const now = performance.now();
    for (const reply of open) if (reply.isAnswered) check(reply, now);
    open.forgetIdleNetworks();
  }, checkIntervalMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));

  function check(reply: FastifyReply, now: number): void {
    const { raw, request, network, isStream } = reply;
    const { socket } = request.raw;
    // Fastify runs no onResponse hook for a response whose client has disconnected.
    if (raw.destroyed || socket.destroyed || !network) {
      open.remove(reply);
      return;
    }
    const { delivery } = reply;
    const progress = sentBytes(socket);
    if (!delivery) {
      reply.delivery = { progress, since: now, isUnread: false };
      return;
    }
    // A stream without unsent bytes waits for the next change of its event. Any other response without
    // progress is stalled, also if its source gives no bytes.
    const isWaiting = isStream && socket.writableLength === 0;
    if (isWaiting || delivery.progress !== progress) Object.assign(delivery, { progress, since: now });
    if (!isStream) open.countUnread(reply);
    const isStalled = now - delivery.since >= stallTimeoutMs;
    const isExcess = delivery.isUnread && network.unread > maxUnreadPerNetwork;
    if (!isStalled && !isExcess) return;
    if (isStream) streamMetrics.dropped.inc();
    open.remove(reply);
    socket.destroy();
    if (!isExcess) return;
    // The other responses of the connection are no reason to close the next one of the network.
    for (const other of open) if (other.request.raw.socket === socket) open.remove(other);
  }
}

/**
 * A number that changes if the connection sends some of its bytes: large bodies are written in pieces (pieces.ts), and
 * `writableLength` contains a piece until its last byte is sent.
 */
const sentBytes = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

/**
 * Admission: which requests are served, and for how long. One object counts the open requests, and one timer looks at them.
 *
 * - Load shedding: while the handlers of too many requests are running, further requests get a 503 immediately.
 * - The request timeout: a request whose handler does not respond in time gets a 503, for example if the database is frozen.
 *   Fastify's `handlerTimeout` would create a timer and an abort signal for each request.
 * - Unread responses: a client that reads nothing of a response loses its connection, and a client network with many unread
 *   responses gets a 429: each of them holds a connection, a buffer and possibly an open file. A client that keeps reading,
 *   however slowly, keeps its response.
 */
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { patient, shareOf } from '#base';
import { Problem } from '../../lib/errors.ts';
import { streams as streamMetrics } from '../metrics.ts';
import type { OutageLog } from '../outage-log.ts';
import { type NetworkLoad, OpenRequests } from './open-requests.ts';

/**
 * The number of running requests that the server accepts from any client network. It exceeds the number that
 * runs under full load: at 20,000 requests per second, 800 requests are 40 ms of work. More of them would
 * only make all responses later.
 */
const maxShared = shareOf(800);
/** Further places, for networks that hold few. */
const reserve = shareOf(100);
/**
 * A network may hold this many places for each place that is free: one network gets at most 800 of the 900
 * places, two get 423 each, ten get 88 each. However many networks share the places, some remain for a
 * network that holds none.
 */
const placesPerFreePlace = maxShared / reserve;
/** Monitoring works also under overload. */
export const monitoringPaths = new Set(['/healthz', '/readyz', '/metrics']);

/** With the interval of the checks, and on a busy machine, a response is sent within five seconds. */
export const defaultTimeoutMs = 4_500;
/** The time that a client may read nothing of a response. */
const stallTimeoutMs = 15_000;
/**
 * The unread responses of one client network. A hundred phones behind one address that load four pictures each over a
 * slow line stay within it. Streams have limits of their own (modules/live/streams.ts).
 */
const maxUnreadPerNetwork = shareOf(400);
const checkIntervalMs = 250;

/** The code distinguishes overload from failures of the database in the log. */
const overloadError = () =>
  Object.assign(new Error(`${maxShared} requests are running`), { code: 'OVERLOADED', stack: '' });

const tooManyUnread = () =>
  new Problem('too_many_requests', {
    detail: `${maxUnreadPerNetwork} responses to this address have not been read. Read or close them first.`,
    retryAfter: Math.ceil(stallTimeoutMs / 1_000),
  });

/** @returns the open requests, of which turns and the stop of the server read */
export function registerAdmission(app: FastifyInstance, outages: OutageLog): OpenRequests {
  const open = new OpenRequests();
  app.decorateReply('openIndex', -1);
  app.decorateReply('since', 0);
  app.decorateReply('isStream', false);
  app.decorateReply('isAnswered', false);
  app.decorateReply('network', null);
  app.decorateReply('delivery', null);
  app.decorateReply('stayOpen', function (this: FastifyReply) {
    this.isStream = true;
    open.answer(this);
  });
  outages.addProbe('overload', async () => {
    if (isBusy(open)) throw overloadError();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const refusal = refuse(open, request);
    if (refusal) {
      if (refusal.code === 'unavailable') outages.report('overload', overloadError());
      return done(refusal);
    }
    reply.since = performance.now();
    open.add(reply, open.loadOf(request.ip));
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    open.answer(reply);
    done(null, payload);
  });
  app.addHook('onResponse', (_request, reply, done) => {
    open.remove(reply);
    done();
  });
  const timer = setInterval(() => checkAll(open), checkIntervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  return open;
}

/** Below `maxShared` no network can exceed its share. */
const isBusy = (open: OpenRequests): boolean => open.places >= maxShared;

function isFullFor({ places }: NetworkLoad, open: OpenRequests): boolean {
  const free = maxShared + reserve - open.places;
  return places >= placesPerFreePlace * free;
}

function refuse(open: OpenRequests, { url, ip }: FastifyRequest): Problem | null {
  if (open.unread < maxUnreadPerNetwork && !isBusy(open)) return null;
  if (monitoringPaths.has(url)) return null;
  const load = open.loadOf(ip);
  if (load.unread >= maxUnreadPerNetwork) return tooManyUnread();
  return isBusy(open) && isFullFor(load, open) ? new Problem('unavailable') : null;
}

function checkAll(open: OpenRequests): void {
  const now = performance.now();
  for (const reply of open) {
    if (reply.isAnswered) checkDelivery(open, reply, now);
    else if (isLate(reply, now)) {
      open.answer(reply);
      timeOut(reply);
    }
  }
  open.forgetIdleNetworks();
}

/** The time that the client takes to read the response does not count. */
function isLate({ since, routeOptions }: FastifyReply, now: number): boolean {
  const elapsed = now - since;
  if (elapsed < patient(defaultTimeoutMs)) return false;
  return elapsed >= patient(routeOptions.config.limits?.timeoutMs ?? defaultTimeoutMs);
}

function timeOut(reply: FastifyReply): void {
  // The connection of a client that has not sent its whole body is closed.
  if (!reply.request.raw.complete && !reply.raw.headersSent) reply.header('connection', 'close');
  if (reply.raw.headersSent) reply.raw.destroy();
  else if (!reply.sent) reply.send(new Problem('unavailable'));
}

/** A response counts as unread when the timer sees it for the second time; most are complete long before. */
function checkDelivery(open: OpenRequests, reply: FastifyReply, now: number): void {
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

/**
 * A number that changes if the connection sends some of its bytes: large bodies are written in pieces (pieces.ts), and
 * `writableLength` contains a piece until its last byte is sent.
 */
const sentBytes = (socket: Socket): number => socket.bytesWritten - socket.writableLength;

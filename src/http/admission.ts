/**
 * Admission: which requests are served, when, and for how long (packages/admission/). Which requests a server accepts, and the
 * time limits, hold for all; turns are taken where requests are limited.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  discardBody,
  type OpenRequest,
  OpenRequests,
  type Transport,
  type TurnRule,
  Turns,
} from '#admission';
import { shareOf } from '#base';
import { Problem } from '../lib/errors.ts';
import { streams as streamMetrics } from './metrics.ts';
import type { OutageLog } from './outage-log.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Among the open requests; null for a request that was refused. */
    open: OpenRequest<FastifyReply> | null;
    /** Marks the response as a stream, which stays open as long as its client listens: it has no place and no timeout. */
    stayOpen(): void;
  }
}

/** With the interval of the checks, and on a busy machine, a response is sent within five seconds. */
export const defaultTimeoutMs = 4_500;
const limits = {
  /**
   * It exceeds the number that runs under full load: at 20,000 requests per second, 800 requests are 40 ms of work. More of
   * them would only make all responses later.
   */
  shared: shareOf(800),
  reserved: shareOf(100),
  /**
   * A hundred phones behind one address that load four pictures each over a slow line stay within it. Streams have limits of
   * their own (modules/live/streams.ts).
   */
  unreadPerNetwork: shareOf(400),
  timeoutMs: defaultTimeoutMs,
  stallTimeoutMs: 15_000,
};
const checkIntervalMs = 250;

/** Monitoring works also under overload. */
export const monitoringPaths = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Handlers that need much of a processor core run one at a time, beside the others: heavy reads (long lists), pages, documents
 * (calendars, that of the API), and transfers, which may take minutes (decision 32).
 */
export type TurnKind = 'light' | 'heavy' | 'page' | 'transfer' | 'document';
/**
 * `atOnce`: together fewer than the database's connections for transactions (packages/pg/client.ts), so that one network cannot occupy
 * all; heavy reads use none, and the requests of pages to the API take turns of their own. Handing over a document takes no
 * time, but sending it does: a megabyte, if the client decodes nothing.
 */
const turnRules: Record<TurnKind, TurnRule> = {
  light: { atOnce: shareOf(4), leastPauseMs: 0, maxPauseMs: 50 },
  heavy: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 50 },
  page: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 500 },
  transfer: { atOnce: 1, leastPauseMs: 0, maxPauseMs: 500 },
  document: { atOnce: 1, leastPauseMs: 20, maxPauseMs: 500 },
};
/** In bytes. Reading and validating a longer body takes more of a processor core than most handlers. */
const longBody = 50_000;

const pageCalls = new AsyncLocalStorage<true>();

/**
 * Runs `work`, whose injected requests count as part of the page that this process renders with them. No header can claim the
 * same.
 */
export const runAsPageCall = <T>(work: () => T): T => pageCalls.run(true, work);

/** Whether a page sends the current request. The rate limit has counted the page. */
export const isPageCall = (): boolean => pageCalls.getStore() === true;

/** The code distinguishes overload from failures of the database in the log. */
const overloadError = () =>
  Object.assign(new Error(`${limits.shared} requests are running`), { code: 'OVERLOADED', stack: '' });

const tooManyUnread = () =>
  new Problem('too_many_requests', {
    detail: `${limits.unreadPerNetwork} responses to this address have not been read. Read or close them first.`,
    retryAfter: Math.ceil(limits.stallTimeoutMs / 1_000),
  });

/** What the open requests do with a connection of HTTP. */
const transport: Transport<FastifyReply> = {
  timeoutOf: ({ routeOptions }) => routeOptions.config.limits?.timeoutMs,
  timeOut(reply) {
    // The connection of a client that has not sent its whole body is closed.
    if (!reply.request.raw.complete && !reply.raw.headersSent) reply.header('connection', 'close');
    if (reply.raw.headersSent) reply.raw.destroy();
    else if (!reply.sent) reply.send(new Problem('unavailable'));
  },
  progressOf({ raw, request }) {
    const { socket } = request.raw;
    // Fastify runs no onResponse hook for a response whose client has disconnected.
    if (raw.destroyed || socket.destroyed) return null;
    // Large bodies are written in pieces (bodies.ts), and `writableLength` contains a piece until its last byte is sent.
    return socket.bytesWritten - socket.writableLength;
  },
  isIdle: ({ request }) => request.raw.socket.writableLength === 0,
  connectionOf: ({ request }) => request.raw.socket,
  disconnect({ of, state }) {
    if (state === 'streaming') streamMetrics.dropped.inc();
    of.request.raw.socket.destroy();
  },
};

/** @param hasTurns whether the requests of a network run few at a time: without it, a client may take the whole server */
type Options = { outages: OutageLog; hasTurns: boolean };

/**
 * Must be registered before validation, which reads bodies in the turn of their request.
 * @returns the open requests, for the end of the server
 */
export function registerAdmission(
  app: FastifyInstance,
  { outages, hasTurns }: Options,
): OpenRequests<FastifyReply> {
  const open = new OpenRequests(transport, limits);
  app.decorateReply('open', null);
  app.decorateReply('stayOpen', function (this: FastifyReply) {
    if (this.open) open.answer(this.open, 'streaming');
  });
  outages.addProbe('overload', async () => {
    if (open.isBusy) throw overloadError();
  });
  app.addHook('onRequest', (request, reply, done) => {
    const { url, ip, raw } = request;
    // Runs before Node's listener, which closes the connection.
    if (bodyLength(request) > 0)
      reply.raw.prependOnceListener('finish', () => {
        if (!raw.complete) discardBody(reply.raw, ip);
      });
    const refusal = open.refusalFor(ip);
    if (refusal === null || monitoringPaths.has(url)) {
      reply.open = open.add(reply, ip);
      return done();
    }
    if (refusal === 'unread') return done(tooManyUnread());
    outages.report('overload', overloadError());
    done(new Problem('unavailable'));
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.open) open.answer(reply.open);
    done(null, payload);
  });
  app.addHook('onResponse', (_request, reply, done) => {
    if (reply.open) open.complete(reply.open);
    done();
  });
  if (hasTurns) registerTurns(app);
  const timer = setInterval(() => open.check(), checkIntervalMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  return open;
}

function registerTurns(app: FastifyInstance): void {
  const turns = new Turns(turnRules);
  // After the body was received: a slow upload does not hold up the other requests of its network.
  app.addHook('preValidation', (request, reply, done) => {
    if (reply.open?.state === 'running') turns.wait(reply.open, turnOf(request), done);
    else done();
  });
}

function turnOf(request: FastifyRequest) {
  const kind = request.routeOptions.config.limits?.turns ?? 'light';
  const isLong = bodyLength(request) > longBody;
  return {
    kind,
    // One request with a long body runs at a time, beside one other handler. It may use a connection for transactions, so
    // it has no queue of its own.
    places: isLong ? Math.max(turnRules[kind].atOnce - 1, 1) : 1,
    // The rate limit bounds short handlers. It does not count the requests of pages, and a long body costs more than its handler.
    minPauseMs: isPageCall() || isLong ? 0 : 3,
  };
}

const bodyLength = ({ headers }: FastifyRequest): number =>
  headers['transfer-encoding'] === undefined
    ? Number(headers['content-length'] ?? 0)
    : Number.POSITIVE_INFINITY;

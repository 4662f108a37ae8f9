/**
 * One request too many gets a 503 at once. So does, in the end, one that nobody answers in time: a database that is
 * frozen rather than gone answers nothing at all.
 * One timer looks after all requests, where Fastify's `handlerTimeout` would make each a timer and an abort signal.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../lib/errors.ts';
import type { OutageLog } from './outage-log.ts';

/** In ms. With the look of the timer, and on a busy machine, an answer is still out within five seconds. */
const usually = 4_500;
/**
 * Requests that may be open at once; whoever comes on top is told so at once, instead of waiting in a line that only
 * makes everybody late. More than are ever open while the server keeps up: at 20,000 a second they are 40 ms of work.
 */
const maxOpen = 800;
/** However full the server is, those who run it must see that it lives. */
const vital = new Set(['/healthz', '/readyz', '/metrics']);
const lookEvery = 250;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In ms; for what may take longer than usual. */
    timeoutMs?: number;
  }
  interface FastifyReply {
    /** Among the open requests. */
    place: number;
    /** In ms of `performance.now`. */
    since: number;
    /** A stream, which is open for as long as somebody listens. */
    isStream: boolean;
    /** Says that it is one: it no longer counts among the open requests, and has no deadline. */
    stayOpen(): void;
  }
}

/** Its code tells it from failures of the database in the log. */
const overloaded = () =>
  Object.assign(new Error(`${maxOpen} requests are open`), { code: 'OVERLOADED', stack: '' });

export function registerRequestTimeout(app: FastifyInstance, outages: OutageLog): void {
  // Places that are taken and given back: a Map that grows and shrinks with every request leaves old tables behind
  // that point at new ones, and what old things point at is garbage that only a full collection finds.
  const open: (FastifyReply | null)[] = [];
  const free: number[] = [];

  app.decorateReply('place', -1);
  app.decorateReply('since', 0);
  app.decorateReply('isStream', false);
  app.decorateReply('stayOpen', function (this: FastifyReply) {
    this.isStream = true;
    close(this);
  });
  const isFull = () => open.length - free.length >= maxOpen;
  outages.addProbe('overload', async () => {
    if (isFull()) throw overloaded();
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isFull() && !vital.has(request.url)) {
      outages.report('overload', overloaded());
      done(new Problem('unavailable'));
      return;
    }
    reply.since = performance.now();
    reply.place = free.pop() ?? open.length;
    open[reply.place] = reply;
    done();
  });

  const close = (reply: FastifyReply) => {
    if (reply.place < 0 || open[reply.place] !== reply) return;
    open[reply.place] = null;
    free.push(reply.place);
  };
  app.addHook('onResponse', (_request, reply, done) => {
    close(reply);
    done();
  });

  const timer = setInterval(() => {
    const now = performance.now();
    for (const reply of open) {
      if (!reply || now - reply.since < usually) continue;
      if (now - reply.since < (reply.routeOptions.config.timeoutMs ?? usually)) continue;
      close(reply);
      // Whoever has not sent their body by now may not keep the connection for it.
      if (!reply.request.raw.complete && !reply.raw.headersSent) reply.header('connection', 'close');
      if (reply.raw.headersSent) reply.raw.destroy();
      else if (!reply.sent) reply.send(new Problem('unavailable'));
    }
  }, lookEvery);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** Load shedding: while too many requests are open, further requests get a 503 immediately. */
import type { FastifyInstance } from 'fastify';
import { Problem } from '../lib/errors.ts';
import type { OpenRequests } from './open-requests.ts';
import type { OutageLog } from './outage-log.ts';

/**
 * The maximum number of open requests. It exceeds the number that is open under full load: at 20,000 requests
 * per second, 800 requests are 40 ms of work. More open requests would only make all responses later.
 */
const maxOpen = 800;
/** Monitoring works also under overload. */
const exempt = new Set(['/healthz', '/readyz', '/metrics']);

/** The code distinguishes overload from failures of the database in the log. */
const overloadError = () =>
  Object.assign(new Error(`${maxOpen} requests are open`), { code: 'OVERLOADED', stack: '' });

/** Must be registered before the hook that counts requests as open. */
export function registerLoadShedding(app: FastifyInstance, open: OpenRequests, outages: OutageLog): void {
  const isFull = () => open.size >= maxOpen;
  outages.addProbe('overload', async () => {
    if (isFull()) throw overloadError();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (!isFull() || exempt.has(request.url)) return done();
    outages.report('overload', overloadError());
    done(new Problem('unavailable'));
  });
}

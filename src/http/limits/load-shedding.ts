/**
 * Load shedding: while the handlers of too many requests are running, further requests get a 503 immediately.
 * A client network with many unread responses gets a 429.
 */
import type { FastifyInstance } from 'fastify';
import { shareOf } from '#base';
import { Problem } from '../../lib/errors.ts';
import type { OutageLog } from '../outage-log.ts';
import type { NetworkLoad, OpenRequests } from './open-requests.ts';
import { maxUnreadPerNetwork, stallTimeoutMs } from './unread-responses.ts';

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

/** The code distinguishes overload from failures of the database in the log. */
const overloadError = () =>
  Object.assign(new Error(`${maxShared} requests are running`), { code: 'OVERLOADED', stack: '' });

const tooManyUnread = () =>
  new Problem('too_many_requests', {
    detail: `${maxUnreadPerNetwork} responses to this address have not been read. Read or close them first.`,
    retryAfter: Math.ceil(stallTimeoutMs / 1_000),
  });

/** Must be registered before the hook that counts requests as open. */
export function registerLoadShedding(app: FastifyInstance, open: OpenRequests, outages: OutageLog): void {
  /** Below `maxShared` no network can exceed its share. */
  const isBusy = () => open.places >= maxShared;
  const isFullFor = ({ places }: NetworkLoad) => {
    const free = maxShared + reserve - open.places;
    return places >= placesPerFreePlace * free;
  };
  outages.addProbe('overload', async () => {
    if (isBusy()) throw overloadError();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (open.unread < maxUnreadPerNetwork && !isBusy()) return done();
    if (monitoringPaths.has(request.url)) return done();
    const load = open.loadOf(request.ip);
    if (load.unread >= maxUnreadPerNetwork) return done(tooManyUnread());
    if (!isBusy() || !isFullFor(load)) return done();
    outages.report('overload', overloadError());
    done(new Problem('unavailable'));
  });
}

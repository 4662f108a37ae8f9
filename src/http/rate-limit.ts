/**
 * The rate limit for each client network, over all servers. Requests are counted before their tokens are
 * verified, so that requests with invalid tokens count too; therefore the address identifies the caller.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Due, SharedCounts, type Totals, windowMs } from '#admission';
import { type ClientNetworks, keyedHash, largestOf, networksOf, shareOf } from '#base';
import { type Database, sql } from '#pg';
import type { ReadyConfig } from '../config/config.ts';
import { Problem } from '../lib/errors.ts';
import { isPageCall } from './admission.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A file that is the same for every client, such as a script or an icon. The rate limit does not count it. */
    isStaticFile?: true;
  }
}

/**
 * Refusals of one client network in a second. A client that ignores them would otherwise occupy the server with
 * thousands of refusals a second.
 */
const maxRefusals = shareOf(500);
/** Networks in memory above which those without a waiting refusal are removed. */
const maxIdleNetworks = 1_000;

/** The times of the latest refusals. Each network has at most as many waiting as it has places (admission.ts). */
class Refusals {
  #times = new Map<string, number>();

  /** Resolves when a refusal of the network may be sent. */
  async wait(network: string): Promise<void> {
    const now = performance.now();
    if (this.#times.size > maxIdleNetworks)
      this.#times = new Map([...this.#times].filter(([, at]) => at > now));
    const at = Math.max(now, this.#times.get(network) ?? 0) + 1_000 / maxRefusals;
    this.#times.set(network, at);
    await sleep(at - now);
  }
}

type Services = { config: ReadyConfig; db: Database; clock: () => Date };

export function registerRateLimit(app: FastifyInstance, { config, db, clock }: Services): void {
  const limit = config.rateLimit;
  if (limit === 0) return;
  const report = (due: Due) => addCounts(db, config.secretKey, due);
  const counts = new SharedCounts({ report, clock, limit });
  const refusals = new Refusals();
  // A hook of the whole app runs before authentication and counts unknown paths as well.
  app.addHook('onRequest', async (request, reply) => {
    if (isExempt(request)) return;
    const networks = networksOf(request.ip);
    const { remaining, ttl } = await countIn(counts, networks);
    const [left, reset] = [Math.max(0, remaining), Math.ceil(ttl / 1000)];
    reply.headers({
      'ratelimit-limit': limit,
      'ratelimit-remaining': left,
      'ratelimit-reset': reset,
      // The fields of draft-ietf-httpapi-ratelimit-headers-10 beside those of earlier drafts, which clients read.
      'ratelimit-policy': `"default";q=${limit};w=${windowMs / 1000}`,
      ratelimit: `"default";r=${left};t=${reset}`,
    });
    if (remaining >= 0) return;
    await refusals.wait(largestOf(networks));
    throw new Problem('too_many_requests', { retryAfter: reset });
  });
}

/**
 * Counts a request in the networks of its client, the smallest first: what one of them refuses uses up nothing of a larger one,
 * which other clients need.
 * @returns as `SharedCounts.count`, of the network that has the fewest requests left
 */
async function countIn(counts: SharedCounts, networks: ClientNetworks) {
  let least = { remaining: Number.POSITIVE_INFINITY, ttl: 0 };
  for (const { id, times } of networks) {
    const counted = await counts.count(id, times);
    if (counted.remaining < least.remaining) least = counted;
    if (counted.remaining < 0) break;
  }
  return least;
}

/**
 * A monitor with a short interval must not get a 429 and report the process as down. A page loads its files and calls
 * the API with it; they count as one request, the page.
 */
const isExempt = ({ url, routeOptions }: FastifyRequest): boolean =>
  url === '/healthz' || url === '/readyz' || routeOptions.config.isStaticFile === true || isPageCall();

/** Adds counts to the current minute of the database. */
async function addCounts(db: Database, secretKey: string, due: Due): Promise<Totals> {
  const hashOf = (caller: string) => keyedHash(secretKey, 'requests', caller).toString('base64url');
  const callers = new Map(due.map(({ caller }) => [hashOf(caller), caller]));
  // Sorted by key, so that two servers cannot deadlock.
  const rows = await db.query<{ caller: string; minute: Date; requests: number; now: Date }>(sql`
    with added as (
      insert into request_counts (caller, minute, requests)
      select caller, date_trunc('minute', now()), n
      from unnest(${[...callers.keys()]}::text[], ${due.map(({ requests }) => requests)}::int[]) k (caller, n)
      order by caller
      on conflict (caller, minute) do update set requests = request_counts.requests + excluded.requests
      returning caller, minute, requests)
    select caller, minute, requests, now() from added`);
  const [first] = rows;
  if (!first) throw new Error('the database stored no counts');
  const byCaller = new Map(rows.map(({ caller, requests }) => [callers.get(caller) ?? '', requests]));
  return { now: first.now, minute: first.minute, byCaller };
}

/** Deletes the counts of past minutes. */
export async function deleteExpiredCounts(db: Database): Promise<void> {
  await db.query(sql`delete from request_counts where minute < now() - interval '2 minutes'`);
}

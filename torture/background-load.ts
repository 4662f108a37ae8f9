/**
 * Sends requests to a mix of routes over many connections in a separate process, so that the load does not
 * slow down the measuring one.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './client.ts';

export type LoadRoute = { name: string; method: string; path: string; body?: unknown };
export type LoadPlan = {
  url: string;
  /** Each client is one person at one address. */
  tokens: string[];
  routes: LoadRoute[];
  clients: number;
  ms: number;
};
export type LoadResult = {
  /** The number of responses by status, for each route; 0 stands for a broken connection. */
  statuses: Record<string, Record<number, number>>;
  /** In ms. */
  p99: number;
  /** In ms, of the responses with status 503. */
  refusedP99: number;
  /** The number of responses with 503 and without Retry-After. */
  withoutRetryAfter: number;
};

const plan: LoadPlan = JSON.parse(process.argv[2] ?? '');
const agent = new Agent({ keepAlive: true, maxSockets: plan.clients });
const result: LoadResult = { statuses: {}, p99: 0, refusedP99: 0, withoutRetryAfter: 0 };
const [all, refused] = [[] as number[], [] as number[]];
const until = performance.now() + plan.ms;

type Received = { status: number; hasRetryAfter: boolean };

/** @param n the number of the client */
const send = ({ method, path, body }: LoadRoute, n: number) =>
  new Promise<Received>((resolve) => {
    const headers = {
      authorization: `Bearer ${plan.tokens[n % plan.tokens.length]}`,
      'x-forwarded-for': `10.1.${n >> 8}.${n & 255}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(plan.url + path, { method, agent, headers });
    sent.once('error', () => resolve({ status: 0, hasRetryAfter: false }));
    sent.once('response', (response) => {
      response.resume();
      const hasRetryAfter = response.headers['retry-after'] !== undefined;
      response.once('close', () => resolve({ status: response.statusCode ?? 0, hasRetryAfter }));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

async function client(n: number): Promise<void> {
  for (let turn = n; performance.now() < until; turn++) {
    const route = plan.routes[turn % plan.routes.length] as LoadRoute;
    const since = performance.now();
    const { status, hasRetryAfter } = await send(route, n);
    const took = performance.now() - since;
    result.statuses[route.name] ??= {};
    const counts = result.statuses[route.name] as Record<number, number>;
    counts[status] = (counts[status] ?? 0) + 1;
    all.push(took);
    if (status === 503) {
      refused.push(took);
      if (!hasRetryAfter) result.withoutRetryAfter++;
    }
    // Clients wait for Retry-After; the load waits a tenth of it.
    if (status >= 300 || status === 0) await sleep(100);
  }
}

await Promise.all(Array.from({ length: plan.clients }, (_, n) => client(n)));
result.p99 = quantile(all, 0.99);
result.refusedP99 = refused.length > 0 ? quantile(refused, 0.99) : 0;
console.log(JSON.stringify(result));
agent.destroy();

/**
 * Sends requests to a mix of routes over many connections in a separate process, so that the load does not
 * slow down the measuring one.
 */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './client.ts';

export type LoadRoute = { name: string; method: string; path: string; body?: unknown };
export type LoadPlan = {
  url: string;
  /** Client n is person n, at an address of its own. */
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
  /** The same for requests on connections that were open before; the others also waited to be accepted. */
  refusedP99OnOpen: number;
  /** The number of responses with 503 and without Retry-After. */
  withoutRetryAfter: number;
};

// A plan with thousands of tokens is too long for an argument.
const plan: LoadPlan = JSON.parse(await text(process.stdin));
const agent = new Agent({ keepAlive: true, maxSockets: plan.clients });
const result: LoadResult = {
  statuses: {},
  p99: 0,
  refusedP99: 0,
  refusedP99OnOpen: 0,
  withoutRetryAfter: 0,
};
const all: number[] = [];
const refused = { onOpen: [] as number[], onNew: [] as number[] };
const until = performance.now() + plan.ms;

type Received = { status: number; hasRetryAfter: boolean; isOpen: boolean };

const p99Of = (times: number[]) => (times.length > 0 ? quantile(times, 0.99) : 0);

/** @param n the number of the client */
const send = ({ method, path, body }: LoadRoute, n: number) =>
  new Promise<Received>((resolve) => {
    const headers = {
      authorization: `Bearer ${plan.tokens[n % plan.tokens.length]}`,
      'x-forwarded-for': `10.1.${n >> 8}.${n & 255}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const sent = request(plan.url + path, { method, agent, headers });
    sent.once('error', () => resolve({ status: 0, hasRetryAfter: false, isOpen: false }));
    sent.once('response', (response) => {
      response.resume();
      const hasRetryAfter = response.headers['retry-after'] !== undefined;
      const received = { status: response.statusCode ?? 0, hasRetryAfter, isOpen: sent.reusedSocket };
      response.once('close', () => resolve(received));
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

async function client(n: number): Promise<void> {
  for (let turn = n; performance.now() < until; turn++) {
    const route = plan.routes[turn % plan.routes.length] as LoadRoute;
    const since = performance.now();
    const { status, hasRetryAfter, isOpen } = await send(route, n);
    const took = performance.now() - since;
    result.statuses[route.name] ??= {};
    const counts = result.statuses[route.name] as Record<number, number>;
    counts[status] = (counts[status] ?? 0) + 1;
    all.push(took);
    if (status === 503) {
      refused[isOpen ? 'onOpen' : 'onNew'].push(took);
      if (!hasRetryAfter) result.withoutRetryAfter++;
    }
    // Clients wait for Retry-After; the load waits a tenth of it.
    if (status >= 300 || status === 0) await sleep(100);
  }
}

await Promise.all(Array.from({ length: plan.clients }, (_, n) => client(n)));
result.p99 = quantile(all, 0.99);
result.refusedP99 = p99Of([...refused.onOpen, ...refused.onNew]);
result.refusedP99OnOpen = p99Of(refused.onOpen);
console.log(JSON.stringify(result));
agent.destroy();

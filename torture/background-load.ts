/**
 * Sends requests over many connections in a separate process, so that the load does not slow down the
 * measuring one.
 */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from './client.ts';

export type LoadResult = {
  /** The number of responses by status; 0 stands for a broken connection. */
  statuses: Record<number, number>;
  /** In ms. */
  p99: number;
  /** In ms, of the responses with status 503. */
  refusedP99: number;
};

const [url = '', token = '', clients = '', ms = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(clients) });
const statuses: Record<number, number> = {};
const [all, refused] = [[] as number[], [] as number[]];
const until = performance.now() + Number(ms);

const send = (path: string) =>
  new Promise<number>((resolve) => {
    const sent = request(url + path, { agent, headers: { authorization: `Bearer ${token}` } });
    sent.once('error', () => resolve(0));
    sent.once('response', (response) => {
      response.resume();
      response.once('close', () => resolve(response.statusCode ?? 0));
    });
    sent.end();
  });

async function client(): Promise<void> {
  while (performance.now() < until) {
    const since = performance.now();
    const status = await send('/v1/events?limit=20');
    const took = performance.now() - since;
    statuses[status] = (statuses[status] ?? 0) + 1;
    all.push(took);
    if (status === 503) refused.push(took);
    // Clients wait for Retry-After; the load waits a tenth of it.
    if (status !== 200) await sleep(100);
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client));
const result: LoadResult = {
  statuses,
  p99: quantile(all, 0.99),
  refusedP99: refused.length > 0 ? quantile(refused, 0.99) : 0,
};
console.log(JSON.stringify(result));
agent.destroy();

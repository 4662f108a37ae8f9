/**
 * The metrics of all workers, which one of them was asked for. The primary relays the texts: it loads no library for metrics,
 * and a scrape costs it no more than a copy.
 */
import cluster, { type Worker } from 'node:cluster';
import { singleFlight, withTimeout } from '#base';
import { mergeMetrics } from './merge-metrics.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** A worker that takes longer is missing in the response, as a server that does not respond. */
const timeoutMs = 1_000;

/** In the primary: answers the workers. @param listWorkers those that listen, one for each number */
export function relayMetrics(listWorkers: () => Worker[]): void {
  let round = 0;
  let texts = new Map<Worker, string>();
  let complete = () => {};

  const gather = singleFlight(async () => {
    const asked = listWorkers();
    const { promise, resolve } = Promise.withResolvers<void>();
    round++;
    texts = new Map();
    complete = () => {
      if (texts.size >= asked.length) resolve();
    };
    for (const worker of asked) send(worker, { type: 'readMetrics', round });
    await withTimeout(promise, timeoutMs).catch(() => {});
    return [...texts.values()];
  });

  cluster.on('message', async (worker: Worker, message: ToPrimary) => {
    if (message.type === 'askMetrics') send(worker, { type: 'metrics', texts: await gather() });
    else if (message.round === round) {
      texts.set(worker, message.text);
      complete();
    }
  });
}

/** A worker that has ended gets no message, and needs none. */
export function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

/**
 * In a worker: answers the primary with `readOwn`.
 * @returns a function that reads the metrics of all workers
 */
export function shareMetrics(readOwn: () => Promise<string>): () => Promise<string> {
  let take = (_texts: string[]) => {};
  const tell = (message: ToPrimary) => process.send?.(message);
  process.on('message', async (message: ToWorker) => {
    if (message.type === 'readMetrics') {
      tell({ type: 'metrics', round: message.round, text: await readOwn() });
    } else if (message.type === 'metrics') {
      take(message.texts);
    }
  });
  return singleFlight(async () => {
    const { promise, resolve } = Promise.withResolvers<string[]>();
    take = resolve;
    tell({ type: 'askMetrics' });
    return mergeMetrics(await promise);
  });
}

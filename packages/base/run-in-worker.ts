import { on } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { typedArraysIn } from './typed-arrays.ts';

/** In MB, of the thread's young generation. The default would let each thread hold tens of megabytes of garbage. */
const maxYoungGenerationSizeMb = 8;

/**
 * Runs a module in a worker thread until it ends, or the caller stops reading.
 * @returns what it sends by `sendFromWorker`
 * @throws the error of the worker; Error if `signal` aborts
 */
export async function* messagesOfWorker(
  module: URL,
  workerData: unknown,
  signal: AbortSignal,
): AsyncGenerator<unknown, undefined> {
  signal.throwIfAborted();
  const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
  try {
    for await (const [message] of on(worker, 'message', { signal, close: ['exit'] })) yield message;
  } finally {
    await worker.terminate();
  }
}

/** Sends a value to the thread that has started this one. Its typed arrays are shared or transferred, without a copy. */
export function sendFromWorker(value: unknown): void {
  const memories = typedArraysIn(value).map(({ buffer }) => buffer);
  parentPort?.postMessage(
    value,
    memories.filter((memory) => memory instanceof ArrayBuffer),
  );
}

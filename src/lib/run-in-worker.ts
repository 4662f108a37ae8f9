import { addAbortListener } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';
import { typedArraysIn } from './typed-arrays.ts';

/** In MB, of the thread's young generation. The default would let each thread hold tens of megabytes of garbage. */
const maxYoungGenerationSizeMb = 8;

/**
 * Runs a module in a worker thread, which calls `sendResult` once.
 * @throws the error of the worker; Error if it ends without a result, or because `signal` aborts
 */
export async function runInWorker<T>(module: URL, workerData: unknown, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
  using _ = addAbortListener(signal, () => void worker.terminate());
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The worker thread has ended without a result')));
    });
  } finally {
    await worker.terminate();
  }
}

/** Sends the result of a worker thread. Its typed arrays are transferred without a copy. */
export function sendResult(result: unknown): void {
  parentPort?.postMessage(
    result,
    typedArraysIn(result).map(({ buffer }) => buffer as ArrayBuffer),
  );
}

import { Worker } from 'node:worker_threads';

/** In MB, of the thread's young generation. The default would let each thread hold tens of megabytes of garbage. */
const maxYoungGenerationSizeMb = 8;

/**
 * Runs a module in a worker thread, whose first message is the result.
 * @throws the error of the worker; Error if it ends without a result, or because `signal` aborts
 */
export async function runInWorker<T>(module: URL, workerData: unknown, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const worker = new Worker(module, { workerData, resourceLimits: { maxYoungGenerationSizeMb } });
  const abort = () => void worker.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The worker thread has ended without a result')));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** Reads the listed events and builds a segment, in a worker thread if there are many. */

import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Connection, openConnection, transactionOn } from '../../../db/connection.ts';
import type { Target } from '../../../db/target.ts';
import { countRows, openRows } from './index-rows.ts';
import type { SegmentData } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';

/** The segment, or an estimate of its memory in bytes if it does not fit into `maxBytes`. */
export type LoadedSegment = { data: SegmentData } | { neededBytes: number; events: number };
export type LoadOptions = { target: Target; maxBytes: number };

/** Below this number of events, building takes less time than the start of a worker. */
const minEventsForWorker = 5_000;
/** Few, because the words of one row may take 200 KB. */
const rowsPerFetch = 250;
/** The share of the memory that bitmaps of frequent words may take. */
const bitmapShare = 1 / 6;

/**
 * Loads the segment of all listed events that are committed when the call begins.
 * @throws the error of the database; Error if `signal` aborts
 */
export async function loadSegment(options: LoadOptions, signal: AbortSignal): Promise<LoadedSegment> {
  const connection = await openConnection(options.target, 'discovery');
  const abort = () => connection.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const events = await countRows(connection);
    if (events >= minEventsForWorker) return await loadInWorker(options, signal);
    return await readSegment(connection, options.maxBytes);
  } finally {
    signal.removeEventListener('abort', abort);
    await connection.end().catch(() => {});
  }
}

async function loadInWorker(options: LoadOptions, signal: AbortSignal): Promise<LoadedSegment> {
  const worker = new Worker(new URL('./segment-worker.ts', import.meta.url), { workerData: options });
  const abort = () => void worker.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise<LoadedSegment>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The worker that builds the discovery index has ended')));
    });
  } finally {
    signal.removeEventListener('abort', abort);
    await worker.terminate();
  }
}

/** Counts and reads all rows in one snapshot, and builds the segment. Other work of the thread runs between the reads. */
export async function readSegment(connection: Connection, maxBytes: number): Promise<LoadedSegment> {
  return await transactionOn(
    connection,
    async () => {
      const events = await countRows(connection);
      const read = await openRows(connection);
      const builder = new SegmentBuilder(events);
      for (;;) {
        const rows = await read(rowsPerFetch);
        for (const row of rows) builder.add(row);
        if (builder.bytes > maxBytes) return { neededBytes: builder.bytes * (events / builder.size), events };
        if (rows.length < rowsPerFetch) return { data: builder.build(maxBytes * bitmapShare) };
        await turn();
      }
    },
    'isolation level repeatable read read only',
  );
}

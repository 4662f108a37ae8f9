/** Reads the listed events and builds a segment, in a worker thread if there are many. */

import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../db/client.ts';
import type { Queryable } from '../../../db/query.ts';
import { raw } from '../../../db/sql.ts';
import type { Target } from '../../../db/target.ts';
import { transaction } from '../../../db/transaction.ts';
import { runInWorker } from '../../../lib/run-in-worker.ts';
import { countRows, readRows } from './index-rows.ts';
import type { SegmentData } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';

/** The segment, or an estimate of its memory in bytes if it does not fit into `maxBytes`. */
export type LoadedSegment = { data: SegmentData } | { neededBytes: number; events: number };
export type LoadOptions = { target: Target; maxBytes: number };

const segmentWorker = new URL('./segment-worker.ts', import.meta.url);
/** Below this number of events, building takes less time than the start of a worker. */
const minEventsForWorker = 5_000;
/** The share of the memory that bitmaps of frequent words may take. */
const bitmapShare = 1 / 6;

/**
 * Loads the segment of all listed events that are committed when the call begins.
 * @throws the error of the database; Error if `signal` aborts
 */
export async function loadSegment(
  db: Database,
  maxBytes: number,
  signal: AbortSignal,
): Promise<LoadedSegment> {
  if ((await countRows(db)) >= minEventsForWorker)
    return await runInWorker(segmentWorker, { target: db.target, maxBytes } satisfies LoadOptions, signal);
  return await transaction(db, async (tx) => {
    await tx.execute(raw(`set transaction ${snapshotMode}`));
    return await readSegment(tx, maxBytes);
  });
}

/** Count and rows must come from one snapshot. */
export const snapshotMode = 'isolation level repeatable read read only';

/**
 * Counts and reads all rows, and builds the segment. Other work of the thread runs between the reads.
 * @param tx a transaction in `snapshotMode`
 */
export async function readSegment(tx: Queryable, maxBytes: number): Promise<LoadedSegment> {
  const events = await countRows(tx);
  const builder = new SegmentBuilder(events);
  for await (const rows of readRows(tx)) {
    for (const row of rows) builder.add(row);
    if (builder.bytes > maxBytes) return { neededBytes: builder.bytes * (events / builder.size), events };
    await turn();
  }
  return { data: builder.build(maxBytes * bitmapShare) };
}

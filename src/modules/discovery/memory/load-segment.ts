/** Reads the listed events and builds a segment; if there are many, in a worker thread, which also reads their JSON. */

import { setImmediate as turn } from 'node:timers/promises';
import type { Database } from '../../../db/client.ts';
import { readInBatches } from '../../../db/cursor.ts';
import type { Queryable } from '../../../db/query.ts';
import { raw, type Statement, sql } from '../../../db/sql.ts';
import type { Target } from '../../../db/target.ts';
import { transaction } from '../../../db/transaction.ts';
import { findId } from '../../../lib/id-table.ts';
import { packId } from '../../../lib/ids.ts';
import { runInWorker } from '../../../lib/run-in-worker.ts';
import { dayMs } from '../../../lib/time.ts';
import { toCachedEvent } from '../../events/event-cache.ts';
import { listedJson } from '../../events/event-serializer.ts';
import { listedCondition } from '../../events/policy.ts';
import type { EventRow } from '../../events/present.ts';
import { selectEventRows } from '../../events/repo.ts';
import { countRows, hasRows, readRows } from './index-rows.ts';
import { JsonBuilder, type JsonData } from './listed-json.ts';
import type { SegmentData } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';

/** An estimate of the memory of a segment in bytes. */
type TooLarge = { neededBytes: number; events: number };
export type Loaded = { data: SegmentData; json: JsonData } | TooLarge;
/** `publicUrl`: for the JSON. `maxBytes`: the memory of the segment; `maxJsonBytes`: that of the JSON. */
export type LoadOptions = { publicUrl: string; maxBytes: number; maxJsonBytes: number };
export type WorkerOptions = LoadOptions & { target: Target };

const worker = new URL('./segment-worker.ts', import.meta.url);
/** With fewer events, building takes less time than the start of a worker, and their JSON is read on demand. */
const defaultMinEvents = 5_000;
/** The share of the memory that bitmaps of frequent words may take. */
const bitmapShare = 1 / 6;

/**
 * Loads all listed events that are committed when the call begins.
 * @returns an estimate of the memory if the segment does not fit
 * @throws the error of the database; Error if `signal` aborts
 */
export async function load(
  db: Database,
  options: LoadOptions & { minEventsForWorker?: number },
  signal: AbortSignal,
): Promise<Loaded> {
  const { publicUrl, maxBytes, maxJsonBytes, minEventsForWorker = defaultMinEvents } = options;
  const workerData: WorkerOptions = { target: db.target, publicUrl, maxBytes, maxJsonBytes };
  if (await hasRows(db, minEventsForWorker)) return await runInWorker(worker, workerData, signal);
  return await transaction(db, async (tx) => {
    await tx.execute(raw(`set transaction ${snapshotMode}`));
    const loaded = await readSegment(tx, maxBytes);
    return 'data' in loaded ? { ...loaded, json: new JsonBuilder(loaded.data.size).build() } : loaded;
  });
}

/** Count, rows and JSON must come from one snapshot. */
export const snapshotMode = 'isolation level repeatable read read only';

/**
 * Reads all rows, builds the segment, and reads the JSON.
 * @param tx a transaction in `snapshotMode`
 */
export async function readAll(tx: Queryable, options: LoadOptions): Promise<Loaded> {
  const loaded = await readSegment(tx, options.maxBytes);
  return 'data' in loaded ? { ...loaded, json: await readJson(tx, loaded.data, options) } : loaded;
}

/** Lists of "today" begin up to a day ago, in the earliest time zone. */
const keptMs = 2 * dayMs;

/**
 * Builds a segment of all listed events or, if these do not fit, of those that have not ended.
 * @param tx a transaction in `snapshotMode`
 */
export async function readSegment(
  tx: Queryable,
  maxBytes: number,
): Promise<{ data: SegmentData } | TooLarge> {
  const loaded = await readEndingAfter(tx, null, maxBytes);
  return 'data' in loaded ? loaded : await readEndingAfter(tx, new Date(Date.now() - keptMs), maxBytes);
}

/** Other work of the thread runs between the reads. */
async function readEndingAfter(
  tx: Queryable,
  endingAfter: Date | null,
  maxBytes: number,
): Promise<{ data: SegmentData } | TooLarge> {
  const events = await countRows(tx, endingAfter);
  const builder = new SegmentBuilder(events, endingAfter);
  for await (const rows of readRows(tx, endingAfter)) {
    for (const row of rows) builder.add(row);
    if (builder.bytes > maxBytes) return { neededBytes: builder.bytes * (events / builder.size), events };
    await turn();
  }
  return { data: builder.build(maxBytes * bitmapShare) };
}

/** Reads the JSON of events until the memory is full. */
async function readJson(
  tx: Queryable,
  { size, ids, idTable }: SegmentData,
  { publicUrl, maxJsonBytes }: LoadOptions,
): Promise<JsonData> {
  const builder = new JsonBuilder(size);
  const sizeOf = ({ title, description }: EventRow) => title.length + description.length;
  const add = async (selection: Statement) => {
    for await (const rows of readInBatches(tx, selectEventRows(selection), sizeOf)) {
      for (const row of rows) {
        const doc = findId(idTable, ids, packId(row.id), 0);
        const json = listedJson(toCachedEvent(row), publicUrl);
        builder.add({ id: row.id, doc, version: row.version, json });
        if (builder.bytes > maxJsonBytes) return;
      }
    }
  };
  // The next events are those that are listed most. Past events are listed on request only.
  await add(sql`where ${listedCondition()} and e.end_at > now() order by e.start_at`);
  if (builder.bytes <= maxJsonBytes)
    await add(sql`where ${listedCondition()} and e.end_at <= now() order by e.start_at desc`);
  return builder.build();
}

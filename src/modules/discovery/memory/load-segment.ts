/** Reads the listed events and builds a segment; if there are many, in a worker thread, which then reads their JSON. */

import { setImmediate as turn } from 'node:timers/promises';
import { dayMs, messagesOfWorker, packId, unpackId } from '#base';
import {
  type Database,
  type Queryable,
  raw,
  readInBatches,
  type Statement,
  sql,
  type Target,
  transaction,
} from '#pg';
import { findId, findSymbols } from '#record-index';
import { toCachedEvent } from '../../events/event-cache.ts';
import { listedJson } from '../../events/event-serializer.ts';
import { listedCondition } from '../../events/policy.ts';
import type { EventRow } from '../../events/present.ts';
import { listEventRows, selectEventRows } from '../../events/repo.ts';
import { type Amount, countRows, hasAmount, readRows } from './index-rows.ts';
import { JsonBuilder, type JsonData, type JsonOfDoc, noJson } from './listed-json.ts';
import type { SegmentData } from './segment.ts';
import { SegmentBuilder } from './segment-builder.ts';

/** An estimate of the memory of a segment in bytes. */
type TooLarge = { neededBytes: number; events: number };
/** `rest` ends when the JSON is complete, and must be disposed of. */
export type Loaded = { data: SegmentData; json: JsonData; rest: AsyncGenerator } | TooLarge;
/** `publicUrl`: for the JSON. `maxBytes`: the memory of the segment; `maxJsonBytes`: that of the JSON. */
export type LoadOptions = { publicUrl: string; maxBytes: number; maxJsonBytes: number };
export type WorkerOptions = LoadOptions & { target: Target };

const worker = new URL('./segment-worker.ts', import.meta.url);
/**
 * With less, building takes less time than the start of a worker, and the JSON of the events is read on demand. A build
 * takes some microseconds for each word, in one turn of the event loop, and few events may have many words.
 */
const defaultMinForWorker: Amount = { events: 5_000, bytes: 256 * 1024 };
/** The share of the memory that bitmaps of frequent words may take. */
const bitmapShare = 1 / 6;

/**
 * Loads all listed events that are committed when the call begins.
 * @returns an estimate of the memory if the segment does not fit
 * @throws the error of the database; Error if `signal` aborts
 */
export async function load(
  db: Database,
  options: LoadOptions & { minForWorker?: Amount },
  signal: AbortSignal,
): Promise<Loaded> {
  const { publicUrl, maxBytes, maxJsonBytes, minForWorker = defaultMinForWorker } = options;
  const workerData: WorkerOptions = { target: db.target, publicUrl, maxBytes, maxJsonBytes };
  if (await hasAmount(db, minForWorker)) {
    const rest = messagesOfWorker(worker, workerData, signal);
    const { value: loaded } = await rest.next();
    return { ...(loaded as Sent), rest };
  }
  return await transaction(db, async (tx) => {
    await tx.execute(raw(`set transaction ${snapshotMode}`));
    const loaded = await readSegment(tx, maxBytes);
    return 'data' in loaded ? { ...loaded, json: noJson(loaded.data.size), rest: nothing() } : loaded;
  });
}

async function* nothing() {}

/** Count, rows and JSON must come from one snapshot. */
export const snapshotMode = 'isolation level repeatable read read only';

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

/** What the worker sends. */
type Sent = { data: SegmentData; json: JsonData } | TooLarge;
/** Symbols are searched in the JSON of so many events at most, read in batches until they have so many bytes. */
const [sampleSize, sampleBatch, sampleBytes] = [4_000, 100, 2_000_000];

/**
 * Reads all rows, and calls `send` with the segment and with the JSON, to which it then adds that of the events until the
 * memory is full.
 * @param tx a transaction in `snapshotMode`
 */
export async function readAll(
  tx: Queryable,
  { publicUrl, maxBytes, maxJsonBytes }: LoadOptions,
  send: (loaded: Sent) => void,
): Promise<void> {
  const loaded = await readSegment(tx, maxBytes);
  if (!('data' in loaded)) {
    send(loaded);
    return;
  }
  const { size } = loaded.data;
  // Those of the segment are sent.
  const [ids, idTable] = [loaded.data.ids.slice(), loaded.data.idTable.slice()];
  const toJson = (row: EventRow): JsonOfDoc => ({
    id: row.id,
    doc: findId(idTable, ids, packId(row.id), 0),
    version: row.version,
    text: listedJson(toCachedEvent(row), publicUrl),
  });
  const builder = new JsonBuilder(size, findSymbols(await readSample(tx, ids, toJson)), maxJsonBytes);
  send({ ...loaded, json: builder.data });
  for (const selection of inOrderOfLists)
    for await (const rows of readInBatches(tx, selectEventRows(selection), sizeOf))
      if (!rows.every((row) => builder.add(toJson(row)))) return;
}

/** Each number of events from the start of the sample is spread evenly over the segment: a sequence by the golden ratio. */
const spread = (i: number, size: number): number => Math.floor((((i * (Math.sqrt(5) - 1)) / 2) % 1) * size);

async function readSample(
  tx: Queryable,
  ids: Uint8Array,
  toJson: (row: EventRow) => JsonOfDoc,
): Promise<JsonOfDoc[]> {
  const size = ids.length / 16;
  const count = Math.min(size, sampleSize);
  const sample: JsonOfDoc[] = [];
  let bytes = 0;
  for (let begin = 0; begin < count && bytes < sampleBytes; begin += sampleBatch) {
    const length = Math.min(sampleBatch, count - begin);
    const batch = Array.from({ length }, (_, i) => unpackId(ids, 16 * spread(begin + i, size)));
    for (const row of await listEventRows(tx, batch)) {
      const json = toJson(row);
      bytes += json.text.length;
      sample.push(json);
    }
  }
  return sample;
}

/** The next events are those that are listed most. Past events are listed on request only. */
const inOrderOfLists: Statement[] = [
  sql`where ${listedCondition()} and e.end_at > now() order by e.start_at`,
  sql`where ${listedCondition()} and e.end_at <= now() order by e.start_at desc`,
];
const sizeOf = ({ title, description }: EventRow): number => title.length + description.length;

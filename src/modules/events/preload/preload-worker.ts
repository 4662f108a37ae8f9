/** A worker thread that reads listed events, serializes them, and transfers the result without copying it. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection, transactionOn } from '../../../db/connection.ts';
import { readInBatches } from '../../../db/cursor.ts';
import { type Statement, sql } from '../../../db/sql.ts';
import type { Target } from '../../../db/target.ts';
import { toCachedEvent } from '../event-cache.ts';
import { listedJson } from '../event-serializer.ts';
import { listedCondition } from '../policy.ts';
import type { EventRow } from '../present.ts';
import { selectEventRows } from '../repo.ts';
import { arraysOf, PreloadBuilder } from './preloaded-data.ts';

export type PreloadOptions = { target: Target; publicUrl: string; maxBytes: number };

const { target, publicUrl, maxBytes } = workerData as PreloadOptions;
const connection = await openConnection(target, 'preload');
const builder = new PreloadBuilder();

/** Adds events until the memory is full. */
async function add(selection: Statement): Promise<void> {
  const sizeOf = ({ title, description }: EventRow) => title.length + description.length;
  for await (const rows of readInBatches(connection, selectEventRows(selection), sizeOf)) {
    for (const row of rows) {
      const { id, lat, lng, version } = row;
      builder.add({ id, lat, lng, version, json: listedJson(toCachedEvent(row), publicUrl) });
      if (builder.bytes > maxBytes) return;
    }
  }
}

// The next events are those that are listed most. Past events are listed on request only.
await transactionOn(
  connection,
  async () => {
    await add(sql`where ${listedCondition()} and e.end_at > now() order by e.start_at`);
    if (builder.bytes <= maxBytes)
      await add(sql`where ${listedCondition()} and e.end_at <= now() order by e.start_at desc`);
  },
  'isolation level repeatable read read only',
);
await connection.end();
const data = builder.build();
parentPort?.postMessage(
  data,
  arraysOf(data).map(({ buffer }) => buffer as ArrayBuffer),
);

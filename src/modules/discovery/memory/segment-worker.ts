/** A worker thread that reads the listed events and transfers their columns to the main thread without copying them. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection, transactionOn } from '../../../db/connection.ts';
import { arraysOf } from './listed-json.ts';
import { readAll, snapshotMode, type WorkerOptions } from './load-segment.ts';
import { columnsOf } from './segment.ts';

const { target, ...options } = workerData as WorkerOptions;
const connection = await openConnection(target, 'discovery');
const loaded = await transactionOn(connection, () => readAll(connection, options), snapshotMode);
await connection.end();
const columns = 'data' in loaded ? [...columnsOf(loaded.data), ...arraysOf(loaded.json)] : [];
parentPort?.postMessage(
  loaded,
  columns.map(({ buffer }) => buffer as ArrayBuffer),
);

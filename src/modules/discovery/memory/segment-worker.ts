/** A worker thread that builds a segment and transfers its columns to the main thread without copying them. */
import { parentPort, workerData } from 'node:worker_threads';
import { openConnection, transactionOn } from '../../../db/connection.ts';
import { type LoadOptions, readSegment, snapshotMode } from './load-segment.ts';
import { columnsOf } from './segment.ts';

const { target, maxBytes } = workerData as LoadOptions;
const connection = await openConnection(target, 'discovery');
const loaded = await transactionOn(connection, () => readSegment(connection, maxBytes), snapshotMode);
await connection.end();
const columns = 'data' in loaded ? columnsOf(loaded.data).map(({ buffer }) => buffer as ArrayBuffer) : [];
parentPort?.postMessage(loaded, columns);

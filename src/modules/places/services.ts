import type { BaseServices } from '../../http/services.ts';
import { Problem } from '../../lib/errors.ts';
import { lazily } from '../../lib/lazily.ts';
import { runInWorker } from '../../lib/run-in-worker.ts';
import { Gazetteer } from './gazetteer.ts';
import type { GazetteerData } from './gazetteer-data.ts';

export type PlaceServices = BaseServices & ReturnType<typeof createPlaceServices>;

const worker = new URL('./gazetteer-worker.ts', import.meta.url);

export function createPlaceServices({ log }: BaseServices) {
  const stopping = new AbortController();
  let loaded: Gazetteer | null = null;
  /** @throws Problem `unavailable` if the gazetteer could not be loaded; the next call tries again */
  const get = lazily(async () => {
    const since = performance.now();
    try {
      const data = await runInWorker<GazetteerData>(worker, null, stopping.signal);
      const fields = { places: data.populations.length, ms: Math.round(performance.now() - since) };
      log.info(fields, 'the gazetteer is loaded');
      loaded = new Gazetteer(data);
      return loaded;
    } catch (error) {
      if (!stopping.signal.aborted) log.warn({ err: error }, 'the gazetteer could not be loaded');
      throw new Problem('unavailable');
    }
  });
  /** Null until the gazetteer is loaded, which begins with the first call. */
  const getLoaded = (): Gazetteer | null => {
    if (!loaded) get().catch(() => {});
    return loaded;
  };
  return { gazetteer: { get, getLoaded, stop: () => stopping.abort() } };
}

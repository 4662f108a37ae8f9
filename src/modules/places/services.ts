import type { BaseServices } from '../../http/services.ts';
import { Problem } from '../../lib/errors.ts';
import { lazily } from '../../lib/lazily.ts';
import type { Gazetteer } from './gazetteer.ts';
import { loadGazetteer } from './load-gazetteer.ts';

export type PlaceServices = BaseServices & ReturnType<typeof createPlaceServices>;

export function createPlaceServices({ log }: BaseServices) {
  const stopping = new AbortController();
  let loaded: Gazetteer | null = null;
  /** @throws Problem `unavailable` if the gazetteer could not be loaded; the next call tries again */
  const get = lazily(async () => {
    const since = performance.now();
    try {
      loaded = await loadGazetteer(stopping.signal);
      log.info({ ms: Math.round(performance.now() - since) }, 'the gazetteer is loaded');
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

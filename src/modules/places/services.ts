import type { BaseServices } from '../../http/services.ts';
import { Problem } from '../../lib/errors.ts';
import { lazily } from '../../lib/lazily.ts';
import { runInWorker } from '../../lib/run-in-worker.ts';
import { Gazetteer } from './gazetteer.ts';
import type { GazetteerData } from './gazetteer-data.ts';

export type PlaceServices = BaseServices & { gazetteer: LazyGazetteer };

const worker = new URL('./gazetteer-worker.ts', import.meta.url);

/** Loads the gazetteer with its first use, in a worker thread, and again after an error. */
export class LazyGazetteer {
  readonly #log: BaseServices['log'];
  readonly #stopping = new AbortController();

  constructor({ log }: Pick<BaseServices, 'log'>) {
    this.#log = log;
  }

  /** Rejects with Problem `unavailable` if it could not be loaded. */
  readonly get = lazily(() => this.#load());

  async #load(): Promise<Gazetteer> {
    const since = performance.now();
    try {
      const data = await runInWorker<GazetteerData>(worker, null, this.#stopping.signal);
      const fields = { places: data.populations.length, ms: Math.round(performance.now() - since) };
      this.#log.info(fields, 'the gazetteer is loaded');
      return new Gazetteer(data);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.warn({ err: error }, 'the gazetteer could not be loaded');
      throw new Problem('unavailable');
    }
  }

  stop(): void {
    this.#stopping.abort();
  }
}

export const createPlaceServices = (services: BaseServices) => ({ gazetteer: new LazyGazetteer(services) });

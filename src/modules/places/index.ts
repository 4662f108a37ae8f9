import { defineModule } from '../../http/define-module.ts';
import type { BaseServices } from '../../http/services.ts';
import { loadCountryNames } from './address/country-names.ts';
import { searchPlaces } from './search-places.ts';

/** Towns and cities of the world, offline. */
export const places = defineModule<BaseServices>({
  tag: 'Places',
  endpoints: { searchPlaces },
  setup(app) {
    // After the start, so that neither the start nor the first search for an address waits for them. A search tries again.
    app.addHook('onListen', async () => void loadCountryNames().catch(() => {}));
  },
});

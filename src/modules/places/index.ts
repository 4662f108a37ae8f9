import { hourMs } from '#base';
import { defineModule } from '../../http/define-module.ts';
import type { BaseServices } from '../../http/services.ts';
import { loadCountryNames } from './address/country-names.ts';
import { searchPlaces } from './search-places.ts';
import { deleteOldAnswers } from './streets/repo.ts';

/** Towns and cities of the world, offline. */
export const places = defineModule<BaseServices>({
  tag: 'Places',
  endpoints: { searchPlaces },
  jobs: [
    {
      name: 'delete old answers of the geocoder',
      everyMs: hourMs,
      run: async ({ db, clock }) => void (await deleteOldAnswers(db, clock())),
    },
  ],
  setup(app) {
    // After the start, so that neither the start nor the first search for an address waits for them. A search tries again.
    app.addHook('onListen', async () => void loadCountryNames().catch(() => {}));
  },
});

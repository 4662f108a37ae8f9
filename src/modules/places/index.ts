import { defineModule } from '../../http/define-module.ts';
import { searchPlaces } from './search-places.ts';
import type { PlaceServices } from './services.ts';

/** Towns and cities of the world, offline. */
export const places = defineModule<PlaceServices>({
  tag: 'Places',
  endpoints: { searchPlaces },
  setup(app, { gazetteer }) {
    app.addHook('onClose', async () => gazetteer.stop());
  },
});

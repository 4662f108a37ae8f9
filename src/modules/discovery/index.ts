import { defineModule } from '../../http/define-module.ts';
import { listEvents } from './list-events.ts';
import { listUserEvents } from './list-user-events.ts';
import { searchEvents } from './search-events.ts';
import type { DiscoveryServices } from './services.ts';

/** Lists of public events: by place, category and time, by words, and by organizer. */
export const discovery = defineModule<DiscoveryServices>({
  name: 'discovery',
  endpoints: [listEvents, searchEvents, listUserEvents],
  setup(app, { discoveryIndex, preloadedEvents }) {
    app.addHook('onListen', async () => (discoveryIndex ?? preloadedEvents).start());
    app.addHook('onClose', async () => {
      discoveryIndex?.stop();
      preloadedEvents.stop();
    });
  },
});

import { defineModule } from '../../http/define-module.ts';
import { getEventHighlights } from './get-event-highlights.ts';
import { getEventMap } from './get-event-map.ts';
import { listEvents, searchEvents } from './list-events.ts';
import { listMyEvents } from './list-my-events.ts';
import { listUserEvents } from './list-user-events.ts';
import type { DiscoveryServices } from './services.ts';
import { suggestEvents } from './suggest-events.ts';

/** Lists of public events: by place, category and time, by words, and by organizer; the caller's own events; their map; and suggestions for a search. */
export const discovery = defineModule<DiscoveryServices>({
  tag: 'Events',
  endpoints: {
    listEvents,
    searchEvents,
    getEventMap,
    getEventHighlights,
    listUserEvents,
    listMyEvents,
    suggestEvents,
  },
  setup(app, { discoveryIndex }) {
    app.addHook('onListen', async () => discoveryIndex?.start());
    app.addHook('onClose', async () => discoveryIndex?.stop());
  },
});

import { defineModule } from '../../http/define-module.ts';
import { listenToEvent } from './listen-to-event.ts';
import type { LiveServices } from './services.ts';

/** Live events: server-sent events with the counts and items of an event. */
export const live = defineModule<LiveServices>({
  tag: 'Events',
  endpoints: { listenToEvent },
  setup(app, { hub, streams }) {
    // Before the server waits for open responses: streams do not end by themselves.
    app.addHook('preClose', async () => {
      hub.close();
      streams.close();
    });
  },
});

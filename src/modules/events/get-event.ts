import { callerHeaders } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { isOrganizer } from './audience.ts';
import { serializeEvent } from './event-serializer.ts';
import { Event, EventParams } from './schemas.ts';
import type { EventServices } from './services.ts';
import { showPlace } from './show-places.ts';
import { requireVisibleEvent } from './visible-event.ts';

/** The response is composed of serialized fragments. */
export const getEvent = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id',
  summary: 'Get an event',
  description:
    "With a token, the record has the caller's RSVP, saved flag, booking and place in the waitlist. A private " +
    'event, and one that an admin hides, results in a 404 for all callers except its organizer and admins.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  response: { 200: Event },
  problems: ['event_not_found'],
  etag: 'version',
  compressed: 'text',

  async handler({ caller, params }, services: EventServices) {
    const { db, people, viewerStates, config } = services;
    const id = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, id, caller);
    // Read after the event: where its node shows the newest version of the event, it shows the caller's RSVP as well.
    const [viewerState, organizer, shown] = await Promise.all([
      caller && viewerStates.find({ eventId: id, userId: caller.id }),
      people.find(event.row.organizerId),
      event.row.isAddressHidden ? showPlace(db, event, caller) : event,
    ]);
    // The account is deleted, and the event has become visible too late to be deleted with it.
    if (!organizer) throw new Problem('event_not_found');
    const { json, etag } = serializeEvent(
      shown,
      organizer,
      { viewerState, isOrganizer: isOrganizer(event.row, caller) },
      config.publicUrl,
    );
    const vary = `${callerHeaders}, Accept-Encoding`;
    return { statusCode: 200, json, headers: { etag, vary, 'cache-control': 'private, no-cache' } };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import { countTowardsQuota } from '../../quotas/daily-quotas.ts';
import { createdResponse } from './created-response.ts';
import { withDefaults } from './event-rules.ts';
import { toStored } from './exact-place.ts';
import { insertEvent } from './insert-events.ts';
import { withChosenCover } from './present.ts';
import { loadShownPlaces } from './public-place.ts';
import { Event, NewEvent } from './schemas.ts';
import type { EventServices } from './services.ts';

export const createEvent = defineEndpoint({
  method: 'POST',
  path: '/v1/events',
  summary: 'Create an event',
  description:
    'The caller becomes its organizer. The operator may limit the events of a person in a day (UTC), in production by ' +
    'default to 100; one more results in a 429.',
  caller: 'fresh',
  retry: 'idempotent',
  createdHeaders: ['Location', 'ETag'],
  body: NewEvent,
  response: { 201: Event },
  problems: ['quota_exceeded'],

  async handler({ caller, body, idempotency }, services: EventServices) {
    const { people, clock, config } = services;
    const shownPlace = await loadShownPlaces(body);
    const fields = toStored(withDefaults(withChosenCover(body, config.publicUrl), shownPlace), shownPlace);
    const organizer = await people.find(caller.id);
    return runIdempotent(services, caller, idempotency, async (tx) => {
      await countTowardsQuota(tx, services, caller.id, 'events');
      const id = await insertEvent(tx, caller.id, fields, clock());
      return createdResponse(tx, id, organizer, config.publicUrl);
    });
  },
});

import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { readId } from '../../lib/ids.ts';
import { versionOfEvent } from './event-rules.ts';
import { deleteEvent as deleteRow } from './repo.ts';
import { requireOwnEvent } from './require-own-event.ts';
import { EventParams } from './schemas.ts';
import type { EventServices } from './services.ts';

export const deleteEvent = defineEndpoint({
  method: 'DELETE',
  path: '/v1/events/:id',
  summary: 'Delete an event with its items, claims, bookings, RSVPs and saves',
  description: 'For its organizer and admins.',
  access: 'required',
  ifMatch: true,
  params: EventParams,
  response: { 200: Success },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, request }, { db }: EventServices) {
    const id = readId(params.id, 'event_not_found');
    await actAs(db, caller, async (tx, caller) => {
      const event = await requireOwnEvent(tx, id, caller);
      requireMatch(request, versionOfEvent(event));
      await deleteRow(tx, event);
    });
    return { status: 200, body: { success: true as const } };
  },
});

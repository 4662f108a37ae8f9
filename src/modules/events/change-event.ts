import { requireMatch } from '../../http/conditional.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { lockGuestsOf } from '../accounts/guests.ts';
import { toCachedEvent } from './event-cache.ts';
import {
  applyChange,
  requireCapacity,
  requireNotice,
  requirePrivate,
  versionOfEvent,
} from './event-rules.ts';
import { serializeEvent } from './event-serializer.ts';
import { withChosenCover } from './present.ts';
import { deleteEvents, findEvent, updateEvent as updateRow } from './repo.ts';
import { findOwnEvent, requireOwnEvent } from './require-own-event.ts';
import { Event, EventChange, EventParams } from './schemas.ts';
import type { EventServices } from './services.ts';

const common = {
  path: '/v1/events/:id',
  caller: 'fresh',
  etag: 'ifMatch',
  params: EventParams,
} as const;

export const updateEvent = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change or cancel an event',
  description:
    'For its organizer and admins. Fields that are left out do not change; `status: cancelled` cancels the event. ' +
    'A higher `capacity` books people of the waitlist. `message` stands in the notification of the change, and in no record. ' +
    '`inviteGuests` invites the people who answered an event that becomes private; it tells nobody.',
  body: EventChange,
  response: { 200: Event },
  problems: ['event_not_found', 'not_organizer', 'capacity_below_booked', 'invitations_full'],

  async handler(
    { caller, params, body, request },
    { db, clock, people, viewerStates, privacyHooks, config }: EventServices,
  ) {
    const id = readId(params.id, 'event_not_found');
    const { message = null, inviteGuests = false, ...change } = body;
    const row = await actAs(db, caller, async (tx, caller) => {
      const before = await requireOwnEvent(tx, id, caller);
      requireMatch(request, versionOfEvent(before));
      const fields = applyChange(before, withChosenCover(change, config.publicUrl));
      requireCapacity(before, fields);
      const now = clock();
      requireNotice(before, fields, message, now);
      if (inviteGuests) {
        requirePrivate(fields);
        const invited = { eventId: id, organizerId: before.organizerId, callerId: caller.id, now };
        for (const hook of privacyHooks) await hook(tx, invited);
      }
      await updateRow(
        tx,
        { before, fields },
        now,
        message === null ? null : { authorId: caller.id, text: message },
      );
      return findEvent(tx, id);
    });
    if (!row) throw new Problem('event_not_found');
    const [organizer, viewerState] = await Promise.all([
      people.find(row.organizerId),
      viewerStates.find({ eventId: row.id, userId: caller.id }),
    ]);
    const viewer = { viewerState, isOrganizer: true };
    const { json, etag } = serializeEvent(toCachedEvent(row), organizer, viewer, config.publicUrl);
    return { statusCode: 200, json, headers: { etag } };
  },
});

export const deleteEvent = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Delete an event with its items, claims, bookings, RSVPs and saves',
  description: 'For its organizer and admins.',
  response: { 200: Success },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, request }, { db }: EventServices) {
    const id = readId(params.id, 'event_not_found');
    await actAs(db, caller, async (tx, caller) => {
      // Before the locks: a caller who may not delete the event takes none.
      await findOwnEvent(tx, id, caller);
      await lockGuestsOf(tx, [id]);
      const event = await requireOwnEvent(tx, id, caller);
      requireMatch(request, versionOfEvent(event));
      await deleteEvents(tx, [event]);
    });
    return { status: 200, body: { success: true as const } };
  },
});

import { recordChange } from '#fresh-records';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { actAs } from '../../../identity/act-as.ts';
import { onBehalfOf } from '../../../identity/caller.ts';
import { changedPeople } from '../../../identity/changed-people.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { lockGuestOf } from '../../accounts/added-guests.ts';
import { renameGuest } from '../../accounts/guests.ts';
import { findOwnEvent } from '../../events/require-own-event.ts';
import type { GuestServices } from '../services.ts';
import { readAddedGuests } from './read-added-guests.ts';
import { AddedGuest, AddedGuestChange, GuestParams } from './schemas.ts';

export const changeAddedGuest = defineEndpoint({
  method: 'PATCH',
  path: '/v1/events/:id/guests/:userId',
  summary: 'Change a guest whom you added',
  description:
    'For the organizer of the event and admins. What is left out stays. Leaving `going` does not end claims. Other guests answer ' +
    'themselves: 403 `not_added`.',
  caller: 'fresh',
  params: GuestParams,
  body: AddedGuestChange,
  response: { 200: AddedGuest },
  problems: ['event_not_found', 'guest_not_found', 'not_organizer', 'not_added', 'event_cancelled'],

  async handler({ caller, params, body }, services: GuestServices) {
    const eventId = readId(params.id, 'event_not_found');
    const changed = await actAs(services.db, caller, async (tx, caller) => {
      await findOwnEvent(tx, eventId, caller);
      const key = { eventId, userId: readId(params.userId, 'guest_not_found') };
      const guest = await lockGuestOf(tx, key);
      if (!guest?.isAdded)
        throw new Problem(guest || (await services.isGuest(key)) ? 'not_added' : 'guest_not_found');
      const read = async () => {
        const [found] = await readAddedGuests(tx, services, { ...key, viewer: caller, userIds: [guest.id] });
        // An admin has suspended the guest.
        if (!found) throw new Problem('guest_not_found');
        return found;
      };
      const before = await read();
      const { name = guest.name, status = before.status, extraGuests = before.extraGuests } = body;
      if (name !== guest.name) await renameGuest(tx, guest.id, name);
      const rsvp = { eventId, caller: onBehalfOf({ ...guest, hasAccount: false }), status, extraGuests };
      const [counted] = await services.rsvps.applyIn(tx, 'user', [
        { ...rsvp, isHidden: null, isByOrganizer: true },
      ]);
      if (counted instanceof Problem) throw counted;
      await recordChange(tx, { records: [changedPeople([guest.id])] });
      return await read();
    });
    return { status: 200, body: changed };
  },
});

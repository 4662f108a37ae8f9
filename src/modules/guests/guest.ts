import { recordChange } from '#fresh-records';
import { transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { lockOwnAccount } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { canReceive, contactsOf } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { exportLimits, exportResponse } from '../accounts/export/export-me.ts';
import { ExportReference } from '../accounts/export/schema.ts';
import { findContacts, renameGuest } from '../accounts/guests.ts';
import { deleteGuestSessions, lockGuestSessions } from '../accounts/sessions/repo.ts';
import { listBookingAccess } from '../attendance/bookings/repo.ts';

import { EventParams } from '../events/schemas.ts';
import { listViewerStatesOfRecords } from '../events/viewer-states.ts';
import { toClaim } from '../items/present.ts';
import { listClaimsOf } from '../items/repo.ts';
import { toPerson } from '../people/present.ts';
import { listPeople } from '../people/repo.ts';
import { maskContact } from './contacts.ts';
import { deleteGuest } from './delete-guest.ts';
import { depart } from './depart.ts';
import { GuestChange, GuestRecord } from './schemas.ts';
import type { GuestServices } from './services.ts';

const common = {
  path: '/v1/events/:id/guest',
  caller: 'fresh',
  session: { guests: 'ofEvent' },
  params: EventParams,
} as const;

export const getGuest = defineEndpoint({
  ...common,
  method: 'GET',
  summary: 'Get yourself as a guest of the event',
  description: 'With a guest token. 404 with `guest_not_found` for other tokens.',
  response: { 200: GuestRecord },
  problems: ['guest_not_found'],

  async handler({ caller, params }, services: GuestServices) {
    return { status: 200, body: await readGuest(services, requireGuest(caller, params.id), caller) };
  },
});

export const changeGuest = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change your name as a guest of the event',
  description: 'The name of an account is not changed by its guest token: 409 `account_exists`.',
  body: GuestChange,
  response: { 200: GuestRecord },
  problems: ['guest_not_found', 'account_exists'],

  async handler({ caller, params, body }, services: GuestServices) {
    const eventId = requireGuest(caller, params.id);
    if (caller.hasAccount) throw new Problem('account_exists');
    await transaction(services.db, async (tx) => {
      await lockOwnAccount(tx, caller);
      await renameGuest(tx, caller.id, body.name);
      await recordChange(tx, { records: [changedPeople([caller.id])] });
    });
    return { status: 200, body: await readGuest(services, eventId, caller) };
  },
});

export const leaveAsGuest = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Leave the event as a guest',
  description:
    'Ends the RSVP, the booking or place in the waitlist, the claims, the comments and all guest tokens of this person for this event, and ' +
    'deletes the guest. The account of a guest token stays.',
  response: { 200: Success },
  problems: ['guest_not_found'],

  async handler({ caller, params }, services: GuestServices) {
    const eventId = requireGuest(caller, params.id);
    if (caller.hasAccount) await withdraw(services, caller, eventId);
    else
      await transaction(services.db, async (tx) => {
        await lockOwnAccount(tx, caller);
        await deleteGuest(tx, services, caller.id);
      });
    return { status: 200, body: { success: true as const } };
  },
});

export const exportGuest = defineEndpoint({
  ...common,
  path: '/v1/events/:id/guest/export',
  method: 'GET',
  summary: 'Export what the server stores about you as a guest',
  description:
    'As GET /v1/me/export. With the guest token of an account, only the RSVP, the booking and the claims at this event.',
  limits: exportLimits,
  response: { 200: ExportReference },
  problems: ['guest_not_found'],

  async handler({ caller, params, request, reply }, services: GuestServices) {
    const eventId = requireGuest(caller, params.id);
    const person = { userId: caller.id, eventId: caller.hasAccount ? eventId : null };
    return await exportResponse(services, person, request, reply);
  },
});

/** @throws Problem `guest_not_found` unless the token is a guest token */
function requireGuest(caller: Caller, id: string): string {
  const eventId = readId(id, 'guest_not_found');
  if (caller.eventId !== eventId) throw new Problem('guest_not_found');
  return eventId;
}

async function readGuest(
  { db, sessions, config }: GuestServices,
  eventId: string,
  { id: userId, sessionId }: Caller,
): Promise<GuestRecord> {
  const key = { eventId, userId };
  const [[user], [state], claims, [access], contacts, session] = await Promise.all([
    listPeople(db, [userId]),
    listViewerStatesOfRecords(db, [key]),
    listClaimsOf(db, key),
    listBookingAccess(db, [key], { withPosition: true }),
    findContacts(db, userId),
    sessions.find({ userId, sessionId }),
  ]);
  if (!user || !state || !session) throw new Problem('guest_not_found');
  const [contact] = contacts ? contactsOf(contacts) : [];
  return {
    user: toPerson(user, config.publicUrl),
    contact: contact && canReceive(contact) ? maskContact(contact) : null,
    myRsvp: state.myRsvp,
    extraGuests: state.myExtraGuests,
    claims: claims.map(toClaim),
    booking: access?.booking ?? null,
    expiresAt: session.endsAt,
  };
}

/** Takes back what an account does at an event, and ends its guest tokens for it. */
const withdraw = (services: GuestServices, caller: Caller, eventId: string): Promise<void> =>
  transaction(services.db, async (tx) => {
    // No other token of the person writes meanwhile.
    await lockOwnAccount(tx, caller);
    await lockGuestSessions(tx, { eventId, userId: caller.id });
    await depart(tx, services, { caller, role: caller.role }, { eventIds: [eventId], isRemoved: false });
    await deleteGuestSessions(tx, caller.id, eventId);
  });

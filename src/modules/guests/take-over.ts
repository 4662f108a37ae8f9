import { type Static, Type } from 'typebox';
import { recordChange } from '#fresh-records';
import { type Queryable, sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { named, nullable, oneOf, ref, Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { listGuestsOf } from '../accounts/guests.ts';
import { moveAttendance } from '../attendance/move-attendance.ts';
import { moveComments } from '../comments/people-leave.ts';
import { changedEvents } from '../events/changed-events.ts';
import { moveStanding } from '../events/event-people.ts';
import { isVisible } from '../events/policy.ts';
import { type EventRow, toListedEvent } from '../events/present.ts';
import { findEvent, rsvpStatuses } from '../events/repo.ts';
import { ListedEvent } from '../events/schemas.ts';
import { findRemoved, requireNotRemoved } from '../events/standings.ts';
import { listInvitedGuests, moveInvitations } from '../invitations/invited-guests.ts';
import { InvitationHeaders, tokenOf } from '../invitations/open-invitation.ts';
import { moveClaims } from '../items/move-claims.ts';
import { toClaim } from '../items/present.ts';
import { listClaimsOf } from '../items/repo.ts';
import { Claim } from '../items/schemas.ts';
import { deleteGuest } from './delete-guest.ts';
import type { GuestServices } from './services.ts';

const OwnGuest = named(
  'OwnGuest',
  Type.Object({
    id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
    name: Type.String({ examples: ['Mara'] }),
    event: ref(ListedEvent),
    myRsvp: nullable(oneOf(rsvpStatuses), { description: 'The RSVP of the guest.' }),
    claims: Type.Array(ref(Claim)),
  }),
);
type OwnGuest = Static<typeof OwnGuest>;

export const listMyGuests = defineEndpoint({
  method: 'GET',
  path: '/v1/me/guests',
  summary: 'List what you have answered without your account',
  description:
    "The guests of events whose contact, or whose invitation's contact, you have confirmed for your account, and with the header the " +
    'guest of an invitation without a contact. POST /v1/me/guests/{id}/take-over makes their answers ' +
    'yours; nothing else does, no sign-in either.',
  caller: 'fresh',
  headers: InvitationHeaders,
  response: { 200: named('OwnGuestList', Type.Object({ data: Type.Array(ref(OwnGuest)) })) },

  async handler({ caller, request }, services: GuestServices) {
    const { db, viewerStates, config } = services;
    const all = await listOwnGuests(db, caller.id, tokenOf(request));
    const removed = await findRemoved(
      db,
      all.map(({ eventId, id }) => ({ eventId, userId: id })),
    );
    const found = all.filter(({ id }) => !removed.some(({ userId }) => userId === id));
    const shown = await Promise.all(
      found.map(async ({ id, name, eventId }): Promise<OwnGuest | null> => {
        const event = await services.events.find(eventId);
        if (!event || !isSeenByGuest(event.row, caller)) return null;
        const [guest, own, claims] = await Promise.all([
          viewerStates.find({ eventId, userId: id }),
          viewerStates.find({ eventId, userId: caller.id }),
          listClaimsOf(db, { eventId, userId: id }),
        ]);
        const listed = {
          ...toListedEvent(event.row, config.publicUrl),
          myRsvp: own.myRsvp,
          isSaved: own.isSaved,
        };
        return { id, name, event: listed, myRsvp: guest.myRsvp, claims: claims.map(toClaim) };
      }),
    );
    return { status: 200, body: { data: shown.filter((each) => each !== null) } };
  },
});

export const takeOver = defineEndpoint({
  method: 'POST',
  path: '/v1/me/guests/:id/take-over',
  summary: 'Take over the answer of a guest',
  description:
    'The RSVP, the booking, the claims and the comments of the guest become those of your account, in one transaction, and the guest is gone. What ' +
    'your account has at the event stays as it is. The header is required where GET /v1/me/guests needed it.',
  caller: 'fresh',
  headers: InvitationHeaders,
  params: Type.Object({ id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }) }),
  response: { 200: Success },
  problems: ['guest_not_found', 'removed_from_event'],

  async handler({ caller, params, request }, services: GuestServices) {
    const id = readId(params.id, 'guest_not_found');
    await actAs(services.db, caller, async (tx, caller) => {
      const eventId = await lockOwnGuest(tx, caller, id, tokenOf(request));
      const people = { eventId, from: id, to: caller.id };
      await moveAttendance(tx, people);
      // Under the lock of the event, which a removal holds.
      await requireNotRemoved(tx, { eventId, userId: caller.id });
      await moveInvitations(tx, people);
      await moveStanding(tx, people);
      await moveClaims(tx, people);
      await moveComments(tx, people);
      // What was not moved, because the account has its own, ends with the guest.
      await deleteGuest(tx, services, id);
      await recordChange(tx, { records: [changedEvents([eventId])] });
    });
    return { status: 200, body: { success: true as const } };
  },
});

/** Whether an account sees the event of its guest, who is invited to it. */
const isSeenByGuest = (event: EventRow, account: Viewer): boolean =>
  isVisible(event, account, { isInvited: true });

const listOwnGuests = async (db: Queryable, userId: string, linkToken: string | undefined) =>
  listGuestsOf(db, userId, await listInvitedGuests(db, userId, linkToken));

/**
 * Locks a guest that the account may take over. Of two take-overs, the second finds no guest.
 * @returns the id of the event
 * @throws Problem `guest_not_found`
 */
async function lockOwnGuest(
  tx: Transaction,
  caller: Viewer,
  guestId: string,
  linkToken: string | undefined,
): Promise<string> {
  const guest = (await listOwnGuests(tx, caller.id, linkToken)).find(({ id }) => id === guestId);
  const locked =
    guest &&
    (await tx.query(sql`select 1 from users where id = ${guestId} and suspended_at is null for update`));
  if (!guest || locked?.length !== 1) throw new Problem('guest_not_found');
  const [[removed], event] = await Promise.all([
    findRemoved(tx, [{ eventId: guest.eventId, userId: guestId }]),
    findEvent(tx, guest.eventId),
  ]);
  if (removed || !event || !isSeenByGuest(event, caller)) throw new Problem('guest_not_found');
  return guest.eventId;
}

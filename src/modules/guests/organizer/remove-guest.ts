import { Type } from 'typebox';
import { type Transaction, transaction } from '#pg';
import { auditContextOf, recordAudit } from '../../../audit/audit.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { oneOf, Success } from '../../../http/schemas.ts';
import { lockCaller } from '../../../identity/act-as.ts';
import { onBehalfOf } from '../../../identity/caller.ts';
import type { Contact } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { insertDecisions } from '../../../outbox/decisions.ts';
import { lockGuestOf } from '../../accounts/added-guests.ts';
import { lockContacts } from '../../accounts/codes/contact-locks.ts';
import { hashContact } from '../../accounts/codes/hashes.ts';
import { listContactsOfGuest, listPeopleOfContact } from '../../accounts/guests.ts';
import { deleteGuestSessions, lockGuestSessions } from '../../accounts/sessions/repo.ts';
import { endSeriesRequest } from '../../attendance/series/series-requests.ts';
import { writeStandings } from '../../events/event-people.ts';
import type { EventRow } from '../../events/present.ts';
import { findOwnEvent } from '../../events/require-own-event.ts';
import { findRemoved } from '../../events/standings.ts';
import { endSeriesInvitations } from '../../invitations/depart.ts';
import { listInvitedContacts } from '../../invitations/invited-guests.ts';
import { refreshInvited } from '../../invitations/invited-people.ts';
import { deleteGuest } from '../delete-guest.ts';
import { depart } from '../depart.ts';
import type { GuestServices } from '../services.ts';
import { listDates, lockDates, removalScopes } from './lock-dates.ts';
import { GuestParams } from './schemas.ts';

export const removeGuest = defineEndpoint({
  method: 'DELETE',
  path: '/v1/events/:id/guests/:userId',
  summary: 'Remove a guest',
  description:
    'For the organizer of the event and admins. Ends what the person has at the event: the RSVP, the request, the booking or place in ' +
    'the waitlist, the claims, the comments, the invitation and the guest tokens. Until the person is invited again, new answers, ' +
    'seats and claims of the person, and of accounts that have confirmed the contact of a guest without an account, or of its ' +
    'invitation, are a 403 `removed_from_event`. The person is notified, except with `silent=true`. With `scope=all`, the RSVP to the ' +
    'series ends too.',
  caller: 'fresh',
  params: GuestParams,
  query: Type.Object({
    silent: Type.Optional(
      Type.Boolean({ default: false, description: 'Whether the person is not notified.' }),
    ),
    scope: Type.Optional(
      oneOf(removalScopes, {
        description:
          'Of a series: `all` removes the person from its coming dates and those that are made later. Default: `this`.',
      }),
    ),
  }),
  response: { 200: Success },
  problems: ['event_not_found', 'guest_not_found', 'not_organizer', 'is_organizer'],

  async handler({ caller, params, query, request }, services: GuestServices) {
    const { db, config, clock } = services;
    const { scope = 'this' } = query;
    const eventId = readId(params.id, 'event_not_found');
    const event = await findOwnEvent(db, eventId, caller);
    const userId = readId(params.userId, 'guest_not_found');
    if (userId === event.organizerId) throw new Problem('is_organizer');
    const key = { eventId, userId };
    const contacts = [...(await listContactsOfGuest(db, key)), ...(await listInvitedContacts(db, key))];
    await transaction(db, async (tx) => {
      // An account that confirms one of them at the same time finds the guest removed, or is found here.
      await lockContacts(
        tx,
        contacts.map((contact) => hashContact(config.secretKey, contact)),
      );
      const organizer = await lockCaller(tx, caller);
      const guest = await lockGuestOf(tx, key);
      const events = scope === 'this' ? [eventId] : await listDates(tx, event, clock());
      for (const id of events) await lockGuestSessions(tx, { eventId: id, userId });
      const dates = await lockDates(tx, key, scope, organizer, clock());
      const eventIds = dates.events.map(({ id }) => id);
      await recordAudit(
        tx,
        auditContextOf(services, request, caller.id),
        { userId },
        'guest_removed',
        eventId,
      );
      if (guest?.isAdded) {
        await deleteGuest(tx, services, userId);
        return;
      }
      const isKnown = guest !== null && (await findRemoved(tx, [key])).length === 0;
      const person = { caller: onBehalfOf({ id: userId, hasAccount: !guest }), role: 'user' as const };
      await depart(tx, services, person, { eventIds, isRemoved: true }, async (hadAny) => {
        if (!hadAny && !dates.hadAny && !isKnown) throw new Problem('guest_not_found');
        if (dates.seriesId !== null) await endSeriesInvitations(tx, dates.seriesId, userId);
        if (dates.request) await endSeriesRequest(tx, dates.request, { locked: eventIds });
        for (const each of dates.events) await forbidReturn(tx, each, userId, contacts);
        if (!query.silent) await tx.execute(insertDecisions([{ ...key, ...removed, title: event.title }]));
      });
      for (const id of eventIds) await deleteGuestSessions(tx, userId, id);
    });
    return { status: 200, body: { success: true as const } };
  },
});

const removed = { what: 'removed', reason: null } as const;

/** Refuses new answers, seats and claims of the person, and of the accounts that have confirmed the contacts. */
async function forbidReturn(
  tx: Transaction,
  { id: eventId, organizerId }: EventRow,
  userId: string,
  contacts: Contact[],
): Promise<void> {
  const owners = await Promise.all(contacts.map((contact) => listPeopleOfContact(tx, eventId, contact)));
  const ids = new Set(owners.flat().filter((id) => id !== userId && id !== organizerId));
  const others = [...ids].map((id) => ({ eventId, userId: id }));
  const standing = { isRemoved: true, isInvited: false, isApproved: false };
  await tx.execute(writeStandings([{ eventId, userId }], standing));
  if (others.length === 0) return;
  // The invitation of the contact has ended.
  await refreshInvited(
    tx,
    others.map(({ userId }) => ({ subjectId: eventId, isOfSeries: false, userId })),
  );
  await tx.execute(writeStandings(others, { isRemoved: true }));
}

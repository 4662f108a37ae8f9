import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { runIdempotent } from '../../../idempotency/run-idempotent.ts';
import { onBehalfOf } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId } from '../../../lib/ids.ts';
import { countTowardsQuota } from '../../../quotas/daily-quotas.ts';
import { insertAddedGuests } from '../../accounts/added-guests.ts';
import { requireOwnEvent } from '../../events/require-own-event.ts';
import { EventParams } from '../../events/schemas.ts';
import { type NewAnswer, requireClaims, writeAnswers } from '../answers.ts';
import type { GuestServices } from '../services.ts';
import { readAddedGuests } from './read-added-guests.ts';
import { AddedGuests, maxGuestValues, NewGuests } from './schemas.ts';

export const addGuests = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/guests',
  summary: 'Add guests',
  description:
    'For the organizer of the event and admins: people who answered in another way, such as on paper. All of them are added, or none. ' +
    'Each is a guest without an account and without a contact, also where another guest has the same name. Claims are made as by ' +
    'POST /v1/items/{id}/claim; one that is refused undoes nothing. An event has up to 500 added guests (409 `guest_list_full`), and ' +
    'a person adds up to 2,000 in a day (UTC). Also possible after the event.',
  caller: 'fresh',
  retry: 'idempotent',
  params: EventParams,
  body: NewGuests,
  // Enough that a list which is a little too long gets an error that states the maximum.
  limits: { maxBodyValues: 2 * maxGuestValues },
  response: { 201: AddedGuests },
  problems: ['event_not_found', 'not_organizer', 'event_cancelled', 'guest_list_full', 'quota_exceeded'],

  async handler({ caller, params, body, idempotency }, services: GuestServices) {
    const given = body.guests.map(readGuest);
    const eventId = readId(params.id, 'event_not_found');
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      const event = await requireOwnEvent(tx, eventId, caller);
      if (event.status === 'cancelled') throw new Problem('event_cancelled');
      const names = given.map(({ name }) => name);
      const ids = await insertAddedGuests(tx, eventId, names, services.clock());
      const answers = given.map((answer, i) => ({
        caller: onBehalfOf({ id: ids[i] as string, hasAccount: false }),
        answer,
      }));
      // Before the RSVPs, which write to the change log. The lock of the event excludes all who wait for it with locks of its rows.
      await countTowardsQuota(tx, services, caller.id, 'guests', given.length);
      const context = { eventId, role: 'user', isByOrganizer: true } as const;
      const refused = await writeAnswers(tx, services, context, answers);
      const added = await readAddedGuests(tx, services, { eventId, viewer: caller, userIds: ids });
      const data = added.map((guest, i) => ({ ...guest, refused: refused[i] ?? [] }));
      return { status: 201 as const, body: { data } };
    });
  },
});

type GivenGuest = NewAnswer & { name: string };

/** @throws Problem `invalid_request` by the rules of claims */
function readGuest(guest: NewGuests['guests'][number], nth: number): GivenGuest {
  const { name, status = 'going', extraGuests = null } = guest;
  return { name, status, extraGuests, claims: requireClaims(guest, status, `guests.${nth}.claims`) };
}

/** Claims that the organizer of an event makes and ends. */

import { parseId } from '#base';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import { runIdempotent } from '../../../idempotency/run-idempotent.ts';
import { actAs } from '../../../identity/act-as.ts';
import { onBehalfOf } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { readId, readItemId } from '../../../lib/ids.ts';
import { insertDecisions } from '../../../outbox/decisions.ts';
import { lockGuestOf } from '../../accounts/added-guests.ts';
import { findEvent } from '../../events/repo.ts';
import { requireItemOrganizer } from '../../items/policy.ts';
import { toClaim } from '../../items/present.ts';
import { Claim, ItemParams } from '../../items/schemas.ts';
import type { GuestServices } from '../services.ts';
import { ClaimantParams, ClaimForGuest } from './schemas.ts';

export const claimForGuest = defineEndpoint({
  method: 'POST',
  path: '/v1/items/:id/claims',
  tag: 'Items',
  summary: 'Claim an item for a guest whom you added',
  description:
    'For the organizer of the event and admins, as POST /v1/items/{id}/claim by a guest who goes. 403 `not_added` for people ' +
    'who answered themselves, and for added guests who do not go.',
  caller: 'fresh',
  retry: 'idempotent',
  params: ItemParams,
  body: ClaimForGuest,
  response: { 201: Claim },
  problems: [
    'item_not_found',
    'not_organizer',
    'not_added',
    'claims_disabled',
    'module_disabled',
    'event_cancelled',
    'already_claimed',
    'guest_claims_full',
    'quantity_unavailable',
  ],

  async handler({ caller, params, body, idempotency }, services: GuestServices) {
    const item = readItemId(params.id);
    const { quantity, note = null } = body;
    return runIdempotent(services, caller, idempotency, async (tx, caller) => {
      await requireItemOrganizer(tx, item, caller);
      const userId = parseId(body.userId);
      const guest = userId === null ? null : await lockGuestOf(tx, { eventId: item.eventId, userId });
      if (!guest?.isAdded) throw new Problem('not_added');
      const person = onBehalfOf({ ...guest, hasAccount: false });
      const [claim] = await services.claims.applyIn(tx, 'user', [
        { kind: 'add', item, caller: person, quantity, note, isByOrganizer: true },
      ]);
      if (!claim) throw new Problem('item_not_found');
      if (claim instanceof Problem) throw claim.code === 'rsvp_required' ? new Problem('not_added') : claim;
      return { status: 201 as const, body: toClaim(claim) };
    });
  },
});

export const endClaim = defineEndpoint({
  method: 'DELETE',
  path: '/v1/items/:id/claims/:userId',
  tag: 'Items',
  summary: 'End the claim of a guest',
  description:
    'For the organizer of the event and admins. The quantity is available to others immediately, and the person is notified. 404 ' +
    'with `claim_not_found` if the person has no claim on the item.',
  caller: 'fresh',
  params: ClaimantParams,
  response: { 200: Success },
  problems: ['item_not_found', 'claim_not_found', 'not_organizer'],

  async handler({ caller, params }, services: GuestServices) {
    const item = readItemId(params.id);
    await actAs(services.db, caller, async (tx, caller) => {
      await requireItemOrganizer(tx, item, caller);
      const userId = readId(params.userId, 'claim_not_found');
      const person = onBehalfOf({ id: userId, hasAccount: true });
      const [ended] = await services.claims.applyIn(tx, 'user', [
        { kind: 'remove', item, caller: person, isByOrganizer: true },
      ]);
      if (!ended || ended instanceof Problem) throw ended ?? new Problem('claim_not_found');
      const event = await findEvent(tx, item.eventId);
      if (event)
        await tx.execute(
          insertDecisions([
            { userId, eventId: event.id, what: 'claimEnded', reason: null, title: event.title },
          ]),
        );
    });
    return { status: 200, body: { success: true as const } };
  },
});

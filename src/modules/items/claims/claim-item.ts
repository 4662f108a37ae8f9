import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { Success } from '../../../http/schemas.ts';
import { readItemId } from '../../../lib/ids.ts';
import { toClaim } from '../present.ts';
import { Claim, ClaimChange, ItemParams, NewClaim } from '../schemas.ts';
import type { ItemServices } from '../services.ts';

const common = {
  path: '/v1/items/:id/claim',
  caller: 'lockedByWrite',
  session: { guests: 'ofEvent' },
  params: ItemParams,
} as const;

export const claimItem = defineEndpoint({
  ...common,
  method: 'POST',
  summary: 'Claim a quantity of an item',
  description:
    'Requires an RSVP of `going`. Concurrent claims never exceed `quantityNeeded`. An event that has ended takes ' +
    'claims too.',
  retry: 'idempotent',
  body: NewClaim,
  response: { 201: Claim },
  problems: [
    'item_not_found',
    'removed_from_event',
    'rsvp_required',
    'claims_disabled',
    'module_disabled',
    'event_cancelled',
    'already_claimed',
    'guest_claims_full',
    'quantity_unavailable',
  ],

  async handler({ caller, params, body, idempotency }, { claims }: ItemServices) {
    const item = readItemId(params.id);
    const command = { kind: 'add' as const, item, caller, note: null, ...body };
    return claims.respond(command, idempotency, 201, toClaim);
  },
});

export const changeClaim = defineEndpoint({
  ...common,
  method: 'PATCH',
  summary: 'Change a claim',
  description:
    'A lower quantity and the removal of the note are always possible, also if the caller may no longer see the event. ' +
    'A note and a higher quantity have the requirements of a new claim; a higher quantity can add at most what is still ' +
    'available.',
  body: ClaimChange,
  response: { 200: Claim },
  problems: [
    'item_not_found',
    'claim_not_found',
    'removed_from_event',
    'rsvp_required',
    'claims_disabled',
    'module_disabled',
    'event_cancelled',
    'quantity_unavailable',
  ],

  async handler({ caller, params, body }, { claims }: ItemServices) {
    const item = readItemId(params.id);
    const claim = await claims.apply({ kind: 'change', item, caller, change: body });
    return { status: 200, body: toClaim(claim) };
  },
});

export const unclaimItem = defineEndpoint({
  ...common,
  method: 'DELETE',
  summary: 'Give a claim back',
  description:
    'The quantity is available to others immediately. Also possible if the event is cancelled, and if the caller may no ' +
    'longer see the event. 404 with `claim_not_found` if the caller has no claim on the item.',
  response: { 200: Success },
  problems: ['item_not_found', 'claim_not_found'],

  async handler({ caller, params }, { claims }: ItemServices) {
    await claims.apply({ kind: 'remove', item: readItemId(params.id), caller });
    return { status: 200, body: { success: true as const } };
  },
});

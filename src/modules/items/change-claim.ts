import { defineEndpoint } from '../../http/define-endpoint.ts';
import { ref } from '../../http/schemas.ts';
import { readItemId } from '../../lib/ids.ts';
import { toClaim } from './present.ts';
import { Claim, ClaimRequest, ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

/** Changes the quantity of the caller's claim on an item. */
export const changeClaim = defineEndpoint({
  method: 'PATCH',
  path: '/v1/items/:id/claim',
  operationId: 'changeClaim',
  tag: 'Items',
  summary: 'Change the quantity of a claim',
  description:
    'A lower quantity is always possible, also if the caller may no longer see the event. A higher quantity has the ' +
    'requirements of a new claim, and can add at most the quantity that is still available.',
  access: 'required',
  verifiesCaller: true,
  params: ItemParams,
  body: ClaimRequest,
  response: { 200: ref(Claim) },
  problems: [
    'item_not_found',
    'claim_not_found',
    'rsvp_required',
    'claims_disabled',
    'module_disabled',
    'event_cancelled',
    'quantity_unavailable',
  ],

  async handler({ caller, params, body }, { claims }: ItemServices) {
    const item = readItemId(params.id);
    const claim = await claims.apply({ kind: 'change', item, caller, quantity: body.quantity });
    return { status: 200, body: toClaim(claim) };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readItemId } from '../../lib/ids.ts';
import { toClaim } from './present.ts';
import { Claim, ClaimChange, ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const changeClaim = defineEndpoint({
  method: 'PATCH',
  path: '/v1/items/:id/claim',
  summary: 'Change a claim',
  description:
    'A lower quantity and the removal of the note are always possible, also if the caller may no longer see the event. ' +
    'A note and a higher quantity have the requirements of a new claim; a higher quantity can add at most what is still ' +
    'available.',
  access: 'required',
  verifiesCaller: true,
  params: ItemParams,
  body: ClaimChange,
  response: { 200: Claim },
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
    const claim = await claims.apply({ kind: 'change', item, caller, change: body });
    return { status: 200, body: toClaim(claim) };
  },
});

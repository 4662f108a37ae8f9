import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readItemId } from '../../lib/ids.ts';
import { toClaim } from './present.ts';
import { Claim, ItemParams, NewClaim } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const claimItem = defineEndpoint({
  method: 'POST',
  path: '/v1/items/:id/claim',
  summary: 'Claim a quantity of an item',
  description:
    'Requires an RSVP of `going`. Concurrent claims never exceed `quantityNeeded`. An event that has ended takes ' +
    'claims too.',
  access: 'required',
  verifiesCaller: true,
  idempotent: true,
  params: ItemParams,
  body: NewClaim,
  response: { 201: Claim },
  problems: [
    'item_not_found',
    'rsvp_required',
    'claims_disabled',
    'module_disabled',
    'event_cancelled',
    'already_claimed',
    'quantity_unavailable',
  ],

  async handler({ caller, params, body, idempotency }, { claims }: ItemServices) {
    const item = readItemId(params.id);
    const command = { kind: 'add' as const, item, caller, note: null, ...body };
    return claims.respond(command, idempotency, 201, toClaim);
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { readItemId } from '../../lib/ids.ts';
import { ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const unclaimItem = defineEndpoint({
  method: 'DELETE',
  path: '/v1/items/:id/claim',
  summary: 'Give a claim back',
  description:
    'The quantity is available to others immediately. Also possible if the event is cancelled, and if the caller may no ' +
    'longer see the event. 404 with `claim_not_found` if the caller has no claim on the item.',
  access: 'required',
  verifiesCaller: true,
  params: ItemParams,
  response: { 200: Success },
  problems: ['item_not_found', 'claim_not_found'],

  async handler({ caller, params }, { claims }: ItemServices) {
    await claims.apply({ kind: 'remove', item: readItemId(params.id), caller });
    return { status: 200, body: { success: true as const } };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { readItemId } from '../../lib/ids.ts';
import { loadClaimPage } from './load-claim-page.ts';
import { requireItemOrganizer } from './policy.ts';
import { ClaimListQuery, ClaimPage, ItemParams } from './schemas.ts';
import type { ItemServices } from './services.ts';

export const listItemClaims = defineEndpoint({
  method: 'GET',
  path: '/v1/items/:id/claims',
  summary: 'List the claims on an item',
  description: 'For the organizer of the event and admins, in the order in which the claims were made.',
  access: 'required',
  params: ItemParams,
  query: ClaimListQuery,
  response: { 200: ClaimPage },
  compressed: 'text',
  problems: ['item_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: ItemServices) {
    const id = readItemId(params.id);
    await requireItemOrganizer(services.db, id, caller);
    return { status: 200, body: await loadClaimPage(services, id, query) };
  },
});

import type { Static } from 'typebox';
import { unlessLate } from '#fresh-records';
import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { readId, readItemId } from '../../../lib/ids.ts';
import { requireOrganizer } from '../../events/policy.ts';
import { EventParams } from '../../events/schemas.ts';
import { requireVisibleEvent } from '../../events/visible-event.ts';
import { requireItemOrganizer } from '../policy.ts';
import { toGivenClaim } from '../present.ts';
import { ClaimListQuery, ClaimPage, ItemParams } from '../schemas.ts';
import type { ItemServices } from '../services.ts';
import { listClaims } from './repo.ts';

const common = {
  method: 'GET',
  caller: 'fresh',
  query: ClaimListQuery,
  response: { 200: ClaimPage },
  compressed: 'text',
} as const;

export const listEventClaims = defineEndpoint({
  ...common,
  path: '/v1/events/:id/claims',
  summary: 'List the claims on the items of an event',
  description:
    'For the organizer of the event and admins, ordered by item, and for each item in the order in which the claims ' +
    'were made.',
  params: EventParams,
  limits: { turns: 'heavy' },
  problems: ['event_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: ItemServices) {
    const eventId = readId(params.id, 'event_not_found');
    const event = await requireVisibleEvent(services, eventId, caller);
    requireOrganizer(event.row, caller);
    return { status: 200, body: await loadClaimPage(services, { eventId }, query) };
  },
});

export const listItemClaims = defineEndpoint({
  ...common,
  path: '/v1/items/:id/claims',
  summary: 'List the claims on an item',
  description: 'For the organizer of the event and admins, in the order in which the claims were made.',
  params: ItemParams,
  problems: ['item_not_found', 'not_organizer'],

  async handler({ caller, params, query }, services: ItemServices) {
    const id = readItemId(params.id);
    await requireItemOrganizer(services.db, id, caller);
    return { status: 200, body: await loadClaimPage(services, id, query) };
  },
});

/**
 * Loads a page of the claims on an event or, with `n`, on one of its items. Claims of accounts that are deleted in the
 * meantime are left out.
 */
async function loadClaimPage(
  { db, people, config }: ItemServices,
  claimed: { eventId: string; n?: number },
  { cursor, limit }: Static<typeof ClaimListQuery>,
): Promise<Static<typeof ClaimPage>> {
  const found = await listClaims(db, claimed, readCursor(cursor, 'number', 'id'), limit + 1);
  const { rows, nextCursor } = toPage(found, limit, ({ n, id }) => [n, id]);
  const persons = await Promise.all(rows.map(({ userId }) => unlessLate(people.find(userId))));
  const claims = rows.map((row, i) => toGivenClaim(row, persons[i] ?? null, config.publicUrl));
  return { data: claims.filter((claim) => claim !== null), nextCursor };
}

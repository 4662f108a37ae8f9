import { readCursor, toPage } from '../../../http/cursors.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { toClaim } from '../present.ts';
import type { ItemServices } from '../services.ts';
import { listOwnClaims, type OwnClaimRow } from './own-claims.ts';
import { type OwnClaim, OwnClaimPage, OwnClaimsQuery } from './own-schemas.ts';

export const listMyClaims = defineEndpoint({
  method: 'GET',
  path: '/v1/me/claims',
  tag: 'Me',
  summary: 'List what you bring or give',
  description:
    'Your claims, newest first, with the item and the event of each. Leaves out claims on events that you may no longer ' +
    'see, because their title and time are hidden; you can still reduce or give back such a claim by the id of the ' +
    'item, and GET /v1/me/export lists it.',
  caller: 'fresh',
  query: OwnClaimsQuery,
  response: { 200: OwnClaimPage },
  compressed: 'text',

  async handler({ caller, query }, { db }: ItemServices) {
    const { cursor, limit } = query;
    const found = await listOwnClaims(db, caller, readCursor(cursor, 'id')?.[0] ?? null, limit + 1);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    return { status: 200, body: { data: rows.map(toOwnClaim), nextCursor } };
  },
});

const toOwnClaim = (row: OwnClaimRow): OwnClaim => ({
  ...toClaim(row),
  item: row,
  event: { ...row, id: row.eventId, title: row.eventTitle },
});

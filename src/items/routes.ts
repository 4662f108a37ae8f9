import type { App, Deps } from '../app.ts';
import { coalesceWrites } from '../db/coalesce.ts';
import { actAs } from '../db/transaction.ts';
import { Problem } from '../errors.ts';
import { maySee, requireOrganizer } from '../events/access.ts';
import { moduleOf } from '../events/catalogue.ts';
import { findEventForUpdate } from '../events/queries.ts';
import { EventParams } from '../events/schemas.ts';
import { route } from '../http/route.ts';
import { ref, Success } from '../http/schemas.ts';
import { signedIn } from '../http/viewer.ts';
import { readId, readItemId } from '../ids.ts';
import { type Ask, claimItems, keyOf } from './claims.ts';
import * as queries from './queries.ts';
import { AddedItem, Claim, ClaimRequest, ItemList, ItemListQuery, ItemParams, NewItem } from './schemas.ts';
import { type ClaimRow, toAddedItem, toClaim, toItem } from './views.ts';

export function itemRoutes(app: App, { sql, clock, reads }: Deps): void {
  // Spec 4.14
  app.get(
    '/v1/events/:id/items',
    route({
      name: 'listItems',
      access: 'optional',
      tag: 'Items',
      summary: 'What an event needs and wishes for',
      description: 'In the order in which items were added.',
      params: EventParams,
      querystring: ItemListQuery,
      response: { 200: ItemList },
      problems: ['event_not_found'],
    }),
    async (request) => {
      const { viewer, query } = request;
      const id = readId(request.params.id, 'event_not_found');
      const [event, rows, myClaims] = await Promise.all([
        viewer ? reads.known.event(id) : reads.event(id),
        reads.items(id),
        viewer && reads.myClaims({ eventId: id, userId: viewer.id }),
      ]);
      if (!event || !maySee(event.row, viewer)) throw new Problem('event_not_found');
      const shown = rows.filter(({ kind }) => query.kind === undefined || kind === query.kind);
      return { data: shown.map((row) => toItem(row, myClaims)) };
    },
  );

  // Spec 4.15
  app.post(
    '/v1/events/:id/items',
    route({
      name: 'addItem',
      access: 'required',
      tag: 'Items',
      summary: 'Add an item',
      description: "For the event's organizer and admins.",
      params: EventParams,
      body: NewItem,
      response: { 201: ref(AddedItem) },
      problems: ['event_not_found', 'not_organizer', 'module_disabled', 'event_cancelled'],
    }),
    async (request, reply) => {
      const viewer = signedIn(request);
      const id = readId(request.params.id, 'event_not_found');
      const item = await actAs(sql, viewer, async (tx) => {
        const event = await findEventForUpdate(tx, id, viewer);
        if (!event) throw new Problem('event_not_found');
        requireOrganizer(event, viewer);
        if (!event.enabledModules.includes(moduleOf[request.body.kind])) throw new Problem('module_disabled');
        if (event.status === 'cancelled') throw new Problem('event_cancelled');
        return queries.insertItem(tx, id, request.body, clock());
      });
      return reply.code(201).send(toAddedItem(item));
    },
  );

  // Spec 4.16
  app.delete(
    '/v1/items/:id',
    route({
      name: 'deleteItem',
      access: 'required',
      tag: 'Items',
      summary: 'Remove an item',
      description: "For the event's organizer and admins. All claims on it end; nobody is told.",
      params: ItemParams,
      response: { 200: Success },
      problems: ['item_not_found', 'not_organizer'],
    }),
    async (request) => {
      const viewer = signedIn(request);
      const id = readItemId(request.params.id);
      await actAs(sql, viewer, async (tx) => {
        const access = await queries.findClaimAccess(tx, id, viewer);
        if (!access) throw new Problem('item_not_found');
        requireOrganizer(access, viewer);
        if (!(await queries.deleteItem(tx, id))) throw new Problem('item_not_found');
      });
      return { success: true as const };
    },
  );
}

/** Claims, and giving them back. */
export function claimRoutes(app: App, { sql, clock, flags }: Deps): void {
  // One queue for both, so that they keep their order.
  const claim = coalesceWrites<Ask, ClaimRow>(
    async (asks, isAlone) => claimItems(sql, asks, { now: clock(), isOn: await flags.claims() }, isAlone),
    { keyOf },
  );

  // Spec 4.17
  app.post(
    '/v1/items/:id/claim',
    route({
      name: 'claimItem',
      access: 'required',
      holdsCaller: true,
      tag: 'Items',
      summary: 'Claim a quantity of an item',
      description:
        'Needs an RSVP of `going`. However many claim at once, no more than `quantityNeeded` is given away.',
      params: ItemParams,
      body: ClaimRequest,
      response: { 201: ref(Claim) },
      problems: [
        'item_not_found',
        'rsvp_required',
        'claims_disabled',
        'module_disabled',
        'event_cancelled',
        'already_claimed',
        'quantity_unavailable',
      ],
    }),
    async (request, reply) => {
      const viewer = signedIn(request);
      const item = readItemId(request.params.id);
      const { quantity } = request.body;
      return reply.code(201).send(toClaim(await claim({ item, viewer, quantity })));
    },
  );

  // Spec 4.18
  app.delete(
    '/v1/items/:id/claim',
    route({
      name: 'unclaimItem',
      access: 'required',
      holdsCaller: true,
      tag: 'Items',
      summary: 'Give a claim back',
      params: ItemParams,
      response: { 200: Success },
      problems: ['item_not_found', 'claim_not_found'],
    }),
    async (request) => {
      const viewer = signedIn(request);
      await claim({ item: readItemId(request.params.id), viewer, quantity: null });
      return { success: true as const };
    },
  );
}

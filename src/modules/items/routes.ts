import { createWriteBatcher } from '../../db/batching.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { largeText } from '../../http/compression.ts';
import { route } from '../../http/route.ts';
import { ref, Success } from '../../http/schemas.ts';
import {
  isReplay,
  readIdempotencyKey,
  retryOnKeyConflict,
  runIdempotent,
  sendReplayable,
} from '../../idempotency/idempotency.ts';
import type { IdempotencyKey, Replay } from '../../idempotency/stored-responses.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { type ItemId, readId, readItemId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { moduleOf } from '../events/catalogue.ts';
import { isVisible, requireOrganizer } from '../events/policy.ts';
import { findEventForUpdate } from '../events/repo.ts';
import { EventParams } from '../events/schemas.ts';
import { type Ask, answerOf, claimItems, decideClaims, keyOf } from './claims.ts';
import { type ClaimRow, toAddedItem, toClaim, toItem } from './present.ts';
import * as queries from './repo.ts';
import {
  AddedItem,
  Claim,
  ClaimRequest,
  Item,
  ItemChange,
  ItemList,
  ItemListQuery,
  ItemParams,
  NewItem,
} from './schemas.ts';

export function itemRoutes(app: App, { db, clock, events, items, config }: Deps): void {
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
      compressFrom: largeText,
      problems: ['event_not_found'],
    }),
    async (request) => {
      const { caller: viewer, query } = request;
      const id = readId(request.params.id, 'event_not_found');
      const [event, rows, myClaims] = await Promise.all([
        events.find(id, viewer),
        items.itemsOf(id),
        viewer && items.claimsOf({ eventId: id, userId: viewer.id }),
      ]);
      if (!event || !isVisible(event.row, viewer)) throw new Problem('event_not_found');
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
      idempotent: true,
      problems: ['event_not_found', 'not_organizer', 'module_disabled', 'event_cancelled'],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const id = readId(request.params.id, 'event_not_found');
      const add = async (tx: Transaction) => {
        const event = await findEventForUpdate(tx, id, viewer);
        if (!event) throw new Problem('event_not_found');
        requireOrganizer(event, viewer);
        if (!event.enabledModules.includes(moduleOf[request.body.kind])) throw new Problem('module_disabled');
        if (event.status === 'cancelled') throw new Problem('event_cancelled');
        return toAddedItem(await queries.insertItem(tx, id, request.body, clock()));
      };
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (!once) return reply.code(201).send(await actAs(db, viewer, add));
      const made = await runIdempotent(db, clock(), once, viewer, async (tx) => ({
        status: 201,
        body: JSON.stringify(await add(tx)),
      }));
      return sendReplayable(reply, made);
    },
  );

  app.patch(
    '/v1/items/:id',
    route({
      name: 'updateItem',
      access: 'required',
      tag: 'Items',
      summary: 'Change an item',
      description:
        "For the event's organizer and admins. Fields that are left out stay; `quantityNeeded` cannot fall below what " +
        'is claimed.',
      params: ItemParams,
      body: ItemChange,
      response: { 200: ref(Item) },
      problems: ['item_not_found', 'not_organizer', 'quantity_below_claimed'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const id = readItemId(request.params.id);
      return actAs(db, viewer, async (tx) => {
        await findOwned(tx, id, viewer);
        const row = await queries.updateItem(tx, id, request.body);
        const mine = await queries.listMyClaims(tx, [{ eventId: id.eventId, userId: viewer.id }]);
        return toItem(row, new Map(mine.map((claim) => [claim.n, claim])));
      });
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
      const viewer = requireCaller(request);
      const id = readItemId(request.params.id);
      await actAs(db, viewer, async (tx) => {
        await findOwned(tx, id, viewer);
        if (!(await queries.deleteItem(tx, id))) throw new Problem('item_not_found');
      });
      return { success: true as const };
    },
  );
}

/** @throws Problem `item_not_found`, `not_organizer` */
async function findOwned(tx: Transaction, id: ItemId, viewer: Caller): Promise<void> {
  const access = await queries.findClaimAccess(tx, id, viewer);
  if (!access) throw new Problem('item_not_found');
  requireOrganizer(access, viewer);
}

/** Claims, changing them and giving them back. */
export function claimRoutes(app: App, { db, clock, flags, config }: Deps): void {
  // One queue for all three, so that they keep their order.
  const circumstances = async () => ({ now: clock(), isOn: await flags.isOn('claims') });
  const claim = createWriteBatcher<Ask, ClaimRow>(
    async (asks, mayWaitForLocks) => claimItems(db, asks, await circumstances(), mayWaitForLocks),
    { keyOf },
  );
  // Beside it, so that who uses one key twice holds up nobody without one. A batch has each key once.
  const claimOnce = createWriteBatcher<Ask & { once: IdempotencyKey }, ClaimRow | Replay>(
    async (asks, mayWaitForLocks) => {
      const now = await circumstances();
      return retryOnKeyConflict(() => decideClaims(db, asks, now, mayWaitForLocks));
    },
    { keyOf: ({ once }) => once.keyHash.toString('base64') },
  );

  // Spec 4.17
  app.post(
    '/v1/items/:id/claim',
    route({
      name: 'claimItem',
      access: 'required',
      verifiesCaller: true,
      tag: 'Items',
      summary: 'Claim a quantity of an item',
      description:
        'Needs an RSVP of `going`. However many claim at once, no more than `quantityNeeded` is given away.',
      params: ItemParams,
      body: ClaimRequest,
      response: { 201: ref(Claim) },
      idempotent: true,
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
      const viewer = requireCaller(request);
      const item = readItemId(request.params.id);
      const { quantity } = request.body;
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (!once) return reply.code(201).send(toClaim(await claim({ item, viewer, quantity })));
      const made = await claimOnce({ item, viewer, quantity, once });
      return sendReplayable(reply, isReplay(made) ? made : answerOf(made));
    },
  );

  app.patch(
    '/v1/items/:id/claim',
    route({
      name: 'changeClaim',
      access: 'required',
      verifiesCaller: true,
      tag: 'Items',
      summary: 'Change the quantity of a claim',
      description:
        'Less is always possible, also while the caller may no longer see the event. More needs what claiming needs, ' +
        'and at most what is left can be added.',
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
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const { quantity } = request.body;
      return toClaim(await claim({ item: readItemId(request.params.id), viewer, quantity, isChange: true }));
    },
  );

  // Spec 4.18
  app.delete(
    '/v1/items/:id/claim',
    route({
      name: 'unclaimItem',
      access: 'required',
      verifiesCaller: true,
      tag: 'Items',
      summary: 'Give a claim back',
      description:
        'Others can claim the quantity at once. 404 with `claim_not_found` if the caller has no claim on ' +
        'the item. Also when the event is cancelled, and when the caller may no longer see it.',
      params: ItemParams,
      response: { 200: Success },
      problems: ['item_not_found', 'claim_not_found'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      await claim({ item: readItemId(request.params.id), viewer, quantity: null });
      return { success: true as const };
    },
  );
}

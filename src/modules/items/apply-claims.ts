/** Claims in batches: claims on the same item share one transaction in place of waiting for the item's lock. */

import { newId } from '#base';
import { RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
import type { Admitted, BatchRules, Decided } from '../../idempotency/batch-writer.ts';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { formatItemId, type ItemId } from '../../lib/ids.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type SummaryChange,
  type SummaryState,
} from '../../outbox/summaries.ts';
import {
  type ClaimantState,
  deleteClaims,
  insertClaims,
  type LockedItem,
  listClaimantStates,
  listEventsWithUnreadClaims,
  lockItems,
  moveStock,
  type StockMove,
  updateClaims,
} from './claim-repo.ts';
import { type ClaimAction, refuseClaim } from './policy.ts';
import type { ClaimRow } from './present.ts';
import type { ItemState } from './repo.ts';

/** A change of the caller's claim on an item. */
export type ClaimCommand = ClaimAction & { item: ItemId; caller: Caller };

/** `claimsEnabled`: the operator's flag `claims`. */
type ClaimContext = { now: Date; claimsEnabled: boolean };

/** What the commands on one item change. */
type ItemMove = { item: LockedItem; by: number; changes: SummaryChange[] };
type Claims = Record<ClaimAction['kind'], ClaimRow[]>;
type LockedState = Awaited<ReturnType<typeof lockAndRead>>;

/** The claim that a command changes: a person has at most one claim on an item. */
export const claimKey = ({ item, caller }: ClaimCommand): string => `${formatItemId(item)} ${caller.id}`;

/** Decides the commands in their order, each with the stock that the commands before it left. */
export const claimRules = (context: ClaimContext): BatchRules<ClaimCommand, LockedState, ClaimRow> => ({
  lockAndRead,
  decide: (commands, state) => decideAll(commands, state, context),
});

/**
 * Locks events, items and stock, and reads what decides about claims. The state of the items is that of the locked rows, so
 * it cannot change until the transaction ends, and the stock is never oversold. Existing claims are read by a later
 * statement than the locks: they change only under the lock of their stock. RSVPs are not locked: to leave `going` does not
 * end claims, so a claim may come just before.
 */
async function lockAndRead(tx: Transaction, commands: ClaimCommand[], mayWaitForLocks: boolean) {
  const items = [...new Map(commands.map(({ item }) => [formatItemId(item), item])).values()];
  const [lockedItems, claimants, summaryState] = await Promise.all([
    lockItems(tx, items, mayWaitForLocks),
    listClaimantStates(tx, commands),
    listSummaryState(
      tx,
      'claims',
      commands.map(({ item, caller }) => ({ eventId: item.eventId, userId: caller.id })),
    ),
  ]);
  return { lockedItems, claimants, summaryState };
}

function decideAll(
  commands: Admitted<ClaimCommand>[],
  { lockedItems, claimants, summaryState }: LockedState,
  context: ClaimContext,
): Decided<ClaimRow> {
  const claims: Claims = { add: [], change: [], remove: [] };
  const moves = new Map<string, ItemMove>();
  const decide = ({ command, viewer, index }: Admitted<ClaimCommand>) => {
    const itemId = formatItemId(command.item);
    const item = lockedItems.get(itemId);
    const claimant = claimants[index] ?? null;
    if (claimant && !item) return RETRY_WITH_TARGET;
    const move = item && (moves.get(itemId) ?? { item, by: 0, changes: [] });
    const current = move ? { ...move.item, left: move.item.left - move.by } : null;
    const claim = decideOne(command, viewer, current, claimant, context);
    if (claim instanceof Problem) return claim;
    claims[command.kind].push(claim);
    if (move) {
      const quantity = command.kind === 'remove' ? 0 : claim.quantity;
      move.by += quantity - (claimant?.claim?.quantity ?? 0);
      if (command.kind !== 'change')
        move.changes.push({ personId: claim.userId, amount: command.kind === 'add' ? 1 : -1 });
      moves.set(itemId, move);
    }
    return claim;
  };
  return {
    outcomes: new Map(commands.map((each) => [each.index, decide(each)])),
    write: async (tx, finish) => {
      const moving = await moveStatements(tx, [...moves.values()], summaryState, context.now);
      await finish(...claimStatements(claims), ...moving);
    },
  };
}

const claimStatements = ({ add, change, remove }: Claims): Statement[] => [
  ...(add.length > 0 ? [insertClaims(add)] : []),
  ...(change.length > 0 ? [updateClaims(change)] : []),
  ...(remove.length > 0 ? [deleteClaims(remove)] : []),
];

/** The statements that write the stock of items, and what organizers are notified of. */
async function moveStatements(
  tx: Transaction,
  moves: ItemMove[],
  state: SummaryState,
  now: Date,
): Promise<Statement[]> {
  if (moves.length === 0) return [];
  const moved = moves.map(
    ({ item, by, changes }): StockMove => ({
      eventId: item.eventId,
      n: item.n,
      by,
      summary: nextSummary(item, changes, state),
    }),
  );
  // The claims on all items of an event are one summary.
  const first = new Map(moved.filter(({ summary }) => summary.push).map((move) => [move.eventId, move]));
  if (first.size > 0) {
    for (const eventId of await listEventsWithUnreadClaims(tx, [...first.keys()])) first.delete(eventId);
  }
  return [...insertSummaryPushes([...first.values()], now), moveStock(moved)];
}

/** The claim that the command makes, changes or deletes, or the problem that refuses the command. */
function decideOne(
  command: ClaimCommand,
  viewer: Viewer,
  item: ItemState | null,
  claimant: ClaimantState | null,
  { now, claimsEnabled }: ClaimContext,
): ClaimRow | Problem {
  const refusal = refuseClaim(command, { viewer, item, claimant, claimsEnabled });
  if (refusal) return refusal;
  const { eventId, n } = command.item;
  const before = claimant?.claim ?? { id: newId(), quantity: 0, note: null, createdAt: now };
  return { eventId, n, userId: viewer.id, ...before, ...valuesOf(command) };
}

/** The values of a claim that a command sets. */
function valuesOf(command: ClaimCommand): Partial<Pick<ClaimRow, 'quantity' | 'note'>> {
  if (command.kind === 'remove') return {};
  return command.kind === 'change' ? command.change : { quantity: command.quantity, note: command.note };
}

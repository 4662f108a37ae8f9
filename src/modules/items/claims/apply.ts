/** Claims in batches: claims on the same item share one transaction in place of waiting for the item's lock. */
import { newId } from '#base';
import { type Database, RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
import type { Flags } from '../../../flags/flags.ts';
import {
  type Admitted,
  type BatchRules,
  type BatchWriter,
  createBatchWriter,
  type Decided,
} from '../../../idempotency/batch-writer.ts';
import type { UnlockedCaller, Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { formatItemId, type ItemId } from '../../../lib/ids.ts';
import {
  insertSummaryPushes,
  listSummaryState,
  nextSummary,
  type SummaryChange,
  type SummaryState,
} from '../../../outbox/summaries.ts';
import { type ClaimAction, refuseClaim } from '../policy.ts';
import type { ClaimRow } from '../present.ts';
import type { ItemState } from '../repo.ts';
import {
  type ClaimantState,
  deleteClaims,
  insertClaims,
  type LockedItem,
  listClaimantStates,
  lockItems,
  moveStock,
  type StockMove,
  selectEventsWithUnreadClaims,
  updateClaims,
} from './repo.ts';

/** A change of the caller's claim on an item. */
export type ClaimCommand = ClaimAction & { item: ItemId; caller: UnlockedCaller };

type ClaimContext = { now: Date; flags: Pick<Flags, 'isOnIn'> };

/** What the commands on one item change. */
type ItemMove = { item: LockedItem; by: number; changes: SummaryChange[] };
type Claims = Record<ClaimAction['kind'], ClaimRow[]>;
type LockedItems = Map<string, LockedItem>;
type ReadState = Awaited<ReturnType<typeof readState>>;

type Services = { db: Database; clock: () => Date; flags: Pick<Flags, 'isOnIn'> };

/** The queue of the commands. Those that wait for the same item share a transaction. */
export const createClaimWriter = ({ db, clock, flags }: Services): BatchWriter<ClaimCommand, ClaimRow> =>
  createBatchWriter({
    db,
    clock,
    keyOf: claimKey,
    targetOf: ({ item }) => formatItemId(item),
    rules: (now) => claimRules({ now, flags }),
  });

/** The claim that a command changes: a person has at most one claim on an item. */
const claimKey = ({ item, caller }: ClaimCommand): string => `${formatItemId(item)} ${caller.id}`;

/** Decides the commands in their order, each with the stock that the commands before it left. */
const claimRules = (context: ClaimContext): BatchRules<ClaimCommand, LockedItems, ReadState, ClaimRow> => ({
  /**
   * Locks events, items and stock. The state of the items is that of the locked rows, so it cannot change until the
   * transaction ends, and the stock is never oversold.
   */
  lock: (tx, commands, mayWaitForLocks) => {
    const items = new Map(commands.map(({ item }) => [formatItemId(item), item]));
    return lockItems(tx, [...items.values()], mayWaitForLocks);
  },
  read: (tx, commands) => readState(tx, commands, context),
  decide: (commands, locked, state) => decideAll(commands, locked, state, context.now),
});

/**
 * Existing claims change only under the lock of their stock. RSVPs are not locked: to leave `going` does not end claims, so a
 * claim may come just before.
 */
async function readState(tx: Transaction, commands: ClaimCommand[], { flags }: ClaimContext) {
  const pairs = commands.map(({ item, caller }) => ({ eventId: item.eventId, userId: caller.id }));
  const [claimants, summaryState, claimsEnabled] = await Promise.all([
    listClaimantStates(tx, commands),
    listSummaryState(tx, 'claims', pairs),
    flags.isOnIn(tx, 'claims'),
  ]);
  return { claimants, summaryState, claimsEnabled };
}

function decideAll(
  commands: Admitted<ClaimCommand>[],
  lockedItems: LockedItems,
  { claimants, summaryState, claimsEnabled }: ReadState,
  now: Date,
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
    const claim = decideOne(command, viewer, current, claimant, { now, claimsEnabled });
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
  const outcomes: Decided<ClaimRow>['outcomes'] = new Map(commands.map((each) => [each.index, decide(each)]));
  const moved = [...moves.values()].map((move) => toStockMove(move, summaryState));
  return {
    outcomes,
    statements: [...claimStatements(claims), ...(moved.length > 0 ? [moveStock(moved)] : [])],
    lookUp: pushesOf(moved, now),
  };
}

const toStockMove = ({ item, by, changes }: ItemMove, state: SummaryState): StockMove => ({
  eventId: item.eventId,
  n: item.n,
  by,
  summary: nextSummary(item, changes, state),
});

/**
 * The pushes of organizers. The claims on all items of an event are one summary: an organizer who has not read those on another
 * item has a push already.
 */
function pushesOf(moved: StockMove[], now: Date): Decided<ClaimRow>['lookUp'] {
  const first = new Map(moved.filter(({ summary }) => summary.push).map((move) => [move.eventId, move]));
  if (first.size === 0) return undefined;
  return {
    statement: selectEventsWithUnreadClaims([...first.keys()]),
    statementsFor: (rows) => {
      const unread = new Set(rows.map(({ eventId }) => eventId));
      return insertSummaryPushes(
        [...first.values()].filter(({ eventId }) => !unread.has(eventId)),
        now,
      );
    },
  };
}

const claimStatements = ({ add, change, remove }: Claims): Statement[] => [
  ...(add.length > 0 ? [insertClaims(add)] : []),
  ...(change.length > 0 ? [updateClaims(change)] : []),
  ...(remove.length > 0 ? [deleteClaims(remove)] : []),
];

/** The claim that the command makes, changes or deletes, or the problem that refuses the command. */
function decideOne(
  command: ClaimCommand,
  viewer: Viewer,
  item: ItemState | null,
  claimant: ClaimantState | null,
  { now, claimsEnabled }: { now: Date; claimsEnabled: boolean },
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

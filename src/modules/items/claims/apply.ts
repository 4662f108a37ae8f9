/** Claims in batches: claims on the same item share one transaction in place of waiting for the item's lock. */
import { newId } from '#base';
import { type Database, RETRY_INDIVIDUALLY, RETRY_WITH_TARGET, type Statement, type Transaction } from '#pg';
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
import { lockGuests } from '../../accounts/guests.ts';
import { type ClaimAction, refuseClaim } from '../policy.ts';
import type { ClaimRow } from '../present.ts';
import type { ItemState } from '../repo.ts';
import {
  type ClaimantState,
  countClaimedItems,
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
/** `guests`: without an account, by id. */
type Locked = { items: Map<string, LockedItem>; guests: Set<string> };
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
const claimRules = (context: ClaimContext): BatchRules<ClaimCommand, Locked, ReadState, ClaimRow> => ({
  /**
   * Locks guests without an account who make a claim, so that their claims are counted one after the other, then events, items and
   * stock. The state of the items is that of the locked rows, so it cannot change until the
   * transaction ends, and the stock is never oversold.
   */
  lock: async (tx, commands, mayWaitForLocks) => {
    const items = new Map(commands.map(({ item }) => [formatItemId(item), item]));
    // Both are sent before anything waits.
    const [guests, locked] = await Promise.all([
      lockGuests(
        tx,
        guestsOf(commands).map(({ caller }) => caller.id),
        mayWaitForLocks,
      ),
      lockItems(tx, [...items.values()], mayWaitForLocks),
    ]);
    return { guests, items: locked };
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
  const guests = guestsOf(commands);
  const [claimants, guestClaims, summaryState, claimsEnabled] = await Promise.all([
    listClaimantStates(tx, commands),
    countGuestClaims(tx, guests),
    listSummaryState(tx, 'claims', pairs),
    flags.isOnIn(tx, 'claims'),
  ]);
  return { claimants, guestClaims, summaryState, claimsEnabled };
}

/** The new claims of guests without an account. */
const isGuestClaim = ({ kind, caller }: ClaimCommand): boolean => kind === 'add' && !caller.hasAccount;
const guestsOf = (commands: ClaimCommand[]): ClaimCommand[] => commands.filter(isGuestClaim);

/** The number of items on which each guest without an account, who belongs to one event, has claims, by the id of the guest. */
async function countGuestClaims(tx: Transaction, commands: ClaimCommand[]): Promise<Map<string, number>> {
  const keys = commands.map(({ item, caller }) => ({ eventId: item.eventId, userId: caller.id }));
  const counts = await countClaimedItems(tx, keys);
  return new Map(commands.map((command, i) => [command.caller.id, counts[i] ?? 0]));
}

function decideAll(
  commands: Admitted<ClaimCommand>[],
  locked: Locked,
  { claimants, guestClaims, summaryState, claimsEnabled }: ReadState,
  now: Date,
): Decided<ClaimRow> {
  const claims: Claims = { add: [], change: [], remove: [] };
  const moves = new Map<string, ItemMove>();
  const counts = new Map(guestClaims);
  const decide = ({ command, viewer, index }: Admitted<ClaimCommand>) => {
    const itemId = formatItemId(command.item);
    if (isGuestClaim(command) && !locked.guests.has(command.caller.id)) return RETRY_INDIVIDUALLY;
    const item = locked.items.get(itemId);
    const claimant = claimants[index] ?? null;
    if (claimant && !item) return RETRY_WITH_TARGET;
    const move = item && (moves.get(itemId) ?? { item, by: 0, changes: [] });
    const current = move ? { ...move.item, left: move.item.left - move.by } : null;
    const claim = decideOne(command, current, claimant, {
      ...{ now, viewer, claimsEnabled },
      guestClaims: counts.get(command.caller.id) ?? null,
    });
    if (claim instanceof Problem) return claim;
    const count = counts.get(command.caller.id);
    if (count !== undefined && command.kind === 'add') counts.set(command.caller.id, count + 1);
    claims[command.kind].push(claim);
    if (move) {
      const quantity = command.kind === 'remove' ? 0 : claim.quantity;
      move.by += quantity - (claimant?.claim?.quantity ?? 0);
      const isOwnDoing = command.kind === 'add' && command.isByOrganizer;
      if (command.kind !== 'change' && !isOwnDoing)
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
  item: ItemState | null,
  claimant: ClaimantState | null,
  { now, ...state }: { now: Date; viewer: Viewer; guestClaims: number | null; claimsEnabled: boolean },
): ClaimRow | Problem {
  const refusal = refuseClaim(command, { item, claimant, ...state });
  if (refusal) return refusal;
  const { eventId, n } = command.item;
  const before = claimant?.claim ?? { id: newId(), quantity: 0, note: null, createdAt: now };
  return { eventId, n, userId: state.viewer.id, ...before, ...valuesOf(command) };
}

/** The values of a claim that a command sets. */
function valuesOf(command: ClaimCommand): Partial<Pick<ClaimRow, 'quantity' | 'note'>> {
  if (command.kind === 'remove') return {};
  return command.kind === 'change' ? command.change : { quantity: command.quantity, note: command.note };
}

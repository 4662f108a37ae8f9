/** Applies batches of claims: claims on the same item share one transaction in place of waiting for the item's lock. */
import type { Database } from '../../db/client.ts';
import type { LockWaits } from '../../db/locks.ts';
import {
  RETRY_IN_NEXT_BATCH,
  RETRY_INDIVIDUALLY,
  RETRY_WITH_TARGET,
  type Retry,
} from '../../db/run-batch.ts';
import type { Statement } from '../../db/sql.ts';
import { type Transaction, transaction } from '../../db/transaction.ts';
import { type BatchEntry, storeResults } from '../../idempotency/idempotent-batcher.ts';
import {
  findStoredResponses,
  lockKeys,
  type Replay,
  refuseKeyInUse,
} from '../../idempotency/stored-responses.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { formatItemId, type ItemId, newId } from '../../lib/ids.ts';
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

type Entry = BatchEntry<ClaimCommand, ClaimRow>;
/** What the commands on one item change. */
type ItemMove = { item: LockedItem; by: number; changes: SummaryChange[] };
type Outcome = ClaimRow | Replay | Problem | Retry;

/** The claim that a command changes: a person has at most one claim on an item. */
export const claimKey = ({ item, caller }: ClaimCommand): string => `${formatItemId(item)} ${caller.id}`;

/**
 * Decides the commands in their order, each with the stock that the commands before it left, and writes the result.
 *
 * Takes two round trips. The first locks idempotency keys, callers, events, items and stock, and then reads;
 * the second writes and commits. The state of the items is that of the locked rows, so it cannot change until
 * the transaction ends, and the stock is never oversold. Existing claims are read by a later statement than
 * the locks: they change only under the lock of their stock. RSVPs are not locked: to leave `going` does not
 * end claims, so a claim may come just before. Stored responses are also read after the locks: another server
 * may just have committed the same request.
 * @param waits commands that need the lock of an item for which it does not wait come back as `RETRY_WITH_TARGET`, those
 *   that need the lock of their caller as `RETRY_INDIVIDUALLY`, and of an idempotency key as `RETRY_IN_NEXT_BATCH`
 * @returns for each command the claim that it made, changed or deleted, or why it did not
 */
export async function applyClaims(
  db: Database,
  entries: Entry[],
  context: ClaimContext,
  waits: LockWaits,
): Promise<Outcome[]> {
  return transaction(
    db,
    async (tx, commit) => {
      const locked = await lockAndRead(tx, entries, context.now, waits);
      const { outcomes, claims, moves } = decideAll(entries, locked, context, waits);
      const results = outcomes.map((outcome) => (isClaim(outcome) ? outcome : null));
      const storing = storeResults(entries, results, context.now);
      const moving = await moveStatements(tx, moves, locked.summaryState, context.now);
      const ending = commit(...claimStatements(claims), ...moving, ...storing);
      await (storing.length > 0 ? refuseKeyInUse(ending) : ending);
      return outcomes;
    },
    { planOnce: true },
  );
}

type LockedState = Awaited<ReturnType<typeof lockAndRead>>;

async function lockAndRead(tx: Transaction, entries: Entry[], now: Date, waits: LockWaits) {
  const commands = entries.map(({ command }) => command);
  const callers = commands.map(({ caller }) => caller);
  const items = [...new Map(commands.map(({ item }) => [formatItemId(item), item])).values()];
  const keys = entries.map(({ stored }) => stored?.key ?? null);
  const lockedKeys = lockKeys(tx, keys, waits === 'all');
  if (waits === 'all') await lockedKeys;
  // The statements are pipelined and run in this order, each with a snapshot of its own.
  const [hasKey, roles, lockedItems, responses, claimants, summaryState] = await Promise.all([
    lockedKeys,
    lockCallers(tx, callers, waits === 'all'),
    lockItems(tx, items, waits !== 'none'),
    findStoredResponses(tx, keys, now),
    listClaimantStates(tx, commands),
    listSummaryState(
      tx,
      'claims',
      commands.map(({ item, caller }) => ({ eventId: item.eventId, personId: caller.id })),
    ),
  ]);
  return { hasKey, roles, lockedItems, responses, claimants, summaryState };
}

function decideAll(
  entries: Entry[],
  { hasKey, roles, lockedItems, responses, claimants }: LockedState,
  context: ClaimContext,
  waits: LockWaits,
) {
  const claims: Claims = { add: [], change: [], remove: [] };
  const moves = new Map<string, ItemMove>();
  const outcomes = entries.map(({ command }, i): Outcome => {
    const itemId = formatItemId(command.item);
    const [item, claimant, role, response] = [
      lockedItems.get(itemId) ?? null,
      claimants[i] ?? null,
      roles[i],
      responses[i],
    ];
    if (!hasKey[i]) return RETRY_IN_NEXT_BATCH;
    if (!role) return waits === 'all' ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
    if (response) return response;
    if (claimant && !item) return RETRY_WITH_TARGET;
    const claim = decideOne(command, { id: command.caller.id, role }, item, claimant, context);
    if (claim instanceof Problem) return claim;
    claims[command.kind].push(claim);
    const quantity = command.kind === 'remove' ? 0 : command.quantity;
    const by = quantity - (claimant?.claim?.quantity ?? 0);
    if (item) {
      item.left -= by;
      const move = moves.get(itemId) ?? { item, by: 0, changes: [] };
      move.by += by;
      if (command.kind !== 'change')
        move.changes.push({ personId: claim.userId, amount: command.kind === 'add' ? 1 : -1 });
      moves.set(itemId, move);
    }
    return claim;
  });
  return { outcomes, claims, moves: [...moves.values()] };
}

type Claims = Record<ClaimAction['kind'], ClaimRow[]>;

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
  const { id, quantity, createdAt } = claimant?.claim ?? { id: newId(), quantity: 0, createdAt: now };
  const { eventId, n } = command.item;
  return {
    id,
    eventId,
    n,
    userId: viewer.id,
    createdAt,
    quantity: command.kind === 'remove' ? quantity : command.quantity,
  };
}

const isClaim = (outcome: Outcome): outcome is ClaimRow =>
  typeof outcome === 'object' && 'quantity' in outcome;

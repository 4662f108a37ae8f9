/** Claims, all that wait in one transaction: those on one item meet here and not at the row of its stock. */

import { RETRY_INDIVIDUALLY } from '../../db/batching.ts';
import type { Database } from '../../db/client.ts';
import { isOutage } from '../../db/errors.ts';
import type { Transaction } from '../../db/transaction.ts';
import { transaction } from '../../db/transaction.ts';
import { refuseKeyInUse } from '../../idempotency/idempotency.ts';
import {
  findStoredResponses,
  type IdempotencyKey,
  type Replay,
  type StoredResponse,
  storeResponses,
} from '../../idempotency/stored-responses.ts';
import { lockCallers } from '../../identity/act-as.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { formatItemId, newId, readItemId } from '../../lib/ids.ts';
import { moduleOf } from '../events/catalogue.ts';
import { isVisible } from '../events/policy.ts';
import { grantClaims } from './grant-claims.ts';
import { type ClaimRow, toClaim } from './present.ts';
import * as queries from './repo.ts';

/** A quantity of null gives the claim back; a change gives the claim that is there another quantity. */
export type Ask = queries.ClaimKey & { quantity: number | null; isChange?: true; once?: IdempotencyKey };

/** `isOn`: whether the flag lets anybody claim anything. Giving back is always possible. */
type DecisionContext = { now: Date; isOn: boolean };

/** A person has one claim on an item at most; a batch has one ask of theirs for it at most. */
export const keyOf = ({ item, viewer }: Ask): string => `${formatItemId(item)} ${viewer.id}`;

/** A wish for more is for more than any item has, and not for the database to add up. */
const maxOfAnyItem = 1_000_000;
/** Fewer asks for an item are decided one by one at once: they may well be for what is just running out. */
const crowd = 4;

/**
 * Claims quantities, changes them and gives claims back: first, in one round trip, what nothing stands against
 * (grant.ts); then, for those who are left, it is decided one by one.
 * @param isAlone waits for callers, events and items that others hold; in a batch their asks come back as `alone`
 * @returns for each ask the claim that it made or ended, or why it did not
 */
export async function claimItems(
  db: Database,
  asks: Ask[],
  { now, isOn }: DecisionContext,
  mayWaitForLocks: boolean,
): Promise<(ClaimRow | Problem | typeof RETRY_INDIVIDUALLY)[]> {
  // Nobody here has a key, so nothing is given once more.
  if (mayWaitForLocks || !isOn)
    return decideClaims(db, asks, { now, isOn }, mayWaitForLocks) as Promise<
      (ClaimRow | Problem | typeof RETRY_INDIVIDUALLY)[]
    >;
  const crowds = Map.groupBy(asks, ({ item }) => formatItemId(item));
  const commands = asks.flatMap(({ quantity, isChange, ...key }) => {
    const isCrowded = (crowds.get(formatItemId(key.item))?.length ?? 0) >= crowd;
    return isCrowded && !isChange && quantity !== null && quantity <= maxOfAnyItem
      ? [{ ...key, quantity }]
      : [];
  });
  const granted = await grantClaims(db, commands, now);
  const claims = new Map(commands.map((wish, i) => [keyOf(wish), granted[i]]));
  const rest = asks.filter((ask) => !claims.get(keyOf(ask)));
  // What was granted stays so, whatever becomes of the others.
  const decided = await decideClaims(db, rest, { now, isOn }, mayWaitForLocks).catch((error: Error) =>
    rest.map(() => (isOutage(error) ? error : RETRY_INDIVIDUALLY)),
  );
  const outcomes = new Map(rest.map((ask, i) => [keyOf(ask), decided[i]]));
  return asks.map((ask) => claims.get(keyOf(ask)) ?? outcomes.get(keyOf(ask)) ?? RETRY_INDIVIDUALLY) as (
    | ClaimRow
    | Problem
    | typeof RETRY_INDIVIDUALLY
  )[];
}

/**
 * Decides over each ask.
 *
 * Never oversold and never twice, whatever else goes on: callers, events and items are share-locked and the stock is
 * locked before a later statement reads what decides, so nothing of it can change until the claims are written. (The
 * RSVPs can: leaving `going` keeps claims, so a claim may come just before.) The asks are decided in the order in which
 * they came, each with what the ones before it left.
 *
 * What is kept under a key is asked for after the locks as well: the same request on another server was perhaps just
 * making the claim that it waited for.
 */
export async function decideClaims(
  db: Database,
  asks: Ask[],
  circumstances: DecisionContext,
  mayWaitForLocks: boolean,
): Promise<(ClaimRow | Replay | Problem | typeof RETRY_INDIVIDUALLY)[]> {
  if (asks.length === 0) return [];
  return transaction(db, async (tx, commit) => {
    const { roles, held, kept, found } = await lockAndRead(tx, asks, circumstances.now, mayWaitForLocks);
    const done: Done = { made: [], changed: [], ended: [] };
    /** By item, what the batch has taken from its stock so far. */
    const taken = new Map<string, number>();
    const isTwice = seenTwice();
    const outcomes = asks.map((ask, i) => {
      const id = formatItemId(ask.item);
      const access = found[i] ?? null;
      const role = roles[i];
      if (!role) return mayWaitForLocks ? new Problem('token_invalid') : RETRY_INDIVIDUALLY;
      const first = kept[i];
      if (first) return first;
      if (access && !held.has(id)) return RETRY_INDIVIDUALLY;
      if (isTwice(ask)) return RETRY_INDIVIDUALLY;
      const before = taken.get(id) ?? 0;
      const own = access?.claim?.quantity ?? 0;
      const claim = decide(
        { ...ask, viewer: { id: ask.viewer.id, role } },
        access && { ...access, left: access.left - before },
        circumstances,
      );
      if (claim instanceof Problem) return claim;
      done[ask.quantity === null ? 'ended' : ask.isChange ? 'changed' : 'made'].push(claim);
      taken.set(id, before + (ask.quantity ?? 0) - own);
      return claim;
    });
    const answers = asks.flatMap(({ once }, i) => {
      const outcome = outcomes[i];
      return once && isClaim(outcome) ? [{ key: once, response: answerOf(outcome) }] : [];
    });
    const keeping = storeResponses(answers, circumstances.now);
    const ending = commit(...writes(done, taken), ...keeping);
    await (keeping.length > 0 ? refuseKeyInUse(ending) : ending);
    return outcomes;
  });
}

async function lockAndRead(tx: Transaction, asks: Ask[], now: Date, mayWaitForLocks: boolean) {
  const viewers = asks.map(({ viewer }) => viewer);
  const items = [...new Map(asks.map(({ item }) => [formatItemId(item), item])).values()];
  const keys = asks.map(({ once }) => once ?? null);
  // Sent together and run in this order: what the last ones read is what the others locked.
  const [roles, held, kept, found] = await Promise.all([
    lockCallers(tx, viewers, mayWaitForLocks),
    queries.lockItems(tx, items, mayWaitForLocks),
    findStoredResponses(tx, keys, now),
    queries.listClaimAccess(tx, asks),
  ]);
  return { roles, held, kept, found };
}

/** With two keys of theirs a person may ask for one item twice in a batch; without a key a batch has each once. */
function seenTwice(): (ask: Ask) => boolean {
  const seen = new Set<string>();
  return (ask) => {
    if (!ask.once) return false;
    const key = keyOf(ask);
    return seen.size === seen.add(key).size;
  };
}

const isClaim = (
  outcome: ClaimRow | Replay | Problem | typeof RETRY_INDIVIDUALLY | undefined,
): outcome is ClaimRow => typeof outcome === 'object' && 'quantity' in outcome;

/** The answer to a claim that was made, as it is kept. */
export const answerOf = (claim: ClaimRow): StoredResponse => ({
  status: 201,
  body: JSON.stringify(toClaim(claim)),
});

/**
 * The claim that the ask makes, changes or ends, or the first refusal in the order 404, 403, 409, 422. Taking less needs
 * nothing but the claim, as giving it back does; taking more needs what claiming needs.
 */
function decide(
  { item, viewer, quantity, isChange }: Omit<Ask, 'viewer'> & { viewer: Viewer },
  access: queries.ClaimAccess | null,
  { now, isOn }: DecisionContext,
): ClaimRow | Problem {
  const isThere = access !== null && isVisible(access, viewer);
  const own = access?.claim ?? null;
  // A claim can be given back though the event was hidden since.
  if (own && quantity === null) return own;
  if (own && isChange && quantity !== null && quantity <= own.quantity) return { ...own, quantity };
  if (!isThere) return new Problem('item_not_found');
  if (quantity === null || (isChange && !own)) return new Problem('claim_not_found');
  if (!isOn) return new Problem('claims_disabled');
  if (!access.enabledModules.includes(moduleOf[access.kind])) return new Problem('module_disabled');
  if (access.rsvp !== 'going') return new Problem('rsvp_required');
  if (access.status === 'cancelled') return new Problem('event_cancelled');
  if (own && !isChange) return new Problem('already_claimed');
  const most = access.left + (own?.quantity ?? 0);
  if (quantity > most) return unavailable(access.left, most);
  if (own) return { ...own, quantity };
  return { id: newId(), ...item, userId: viewer.id, quantity, createdAt: now };
}

/** `most`: with what the caller has of it. */
function unavailable(left: number, most: number): Problem {
  const detail = ['None is left.', 'Only 1 is left.'][left] ?? `Only ${left} are left.`;
  return new Problem('quantity_unavailable', {
    detail,
    errors: [{ path: 'quantity', message: `is above ${most}` }],
  });
}

type Done = Record<'made' | 'changed' | 'ended', ClaimRow[]>;

/** The statements that make it so. */
function writes({ made, changed, ended }: Done, taken: Map<string, number>) {
  const moves = [...taken].filter(([, by]) => by !== 0).map(([id, by]) => ({ ...readItemId(id), by }));
  return [
    ...(made.length > 0 ? [queries.insertClaims(made)] : []),
    ...(changed.length > 0 ? [queries.updateClaims(changed)] : []),
    ...(ended.length > 0 ? [queries.deleteClaims(ended)] : []),
    ...(moves.length > 0 ? [queries.moveStock(moves)] : []),
  ];
}

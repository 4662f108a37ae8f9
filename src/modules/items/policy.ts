/** Decides who may change items and who may claim them. */
import type { Queryable } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { ItemId } from '../../lib/ids.ts';
import { moduleOf } from '../events/catalogue.ts';
import { isVisible, requireOrganizer } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { ClaimantState } from './claims/repo.ts';
import { findItemState, type ItemState } from './repo.ts';
import type { ClaimChange, Kind } from './schemas.ts';

/** @throws Problem `item_not_found`; `not_organizer` unless the viewer organizes the event of the item or is an admin */
export async function requireItemOrganizer(db: Queryable, id: ItemId, viewer: Viewer): Promise<void> {
  const state = await findItemState(db, id, viewer);
  if (!state) throw new Problem('item_not_found');
  requireOrganizer(state, viewer);
}

/** The kind of a new item, and the path of the field in the request. */
type NewItemKind = { kind: Kind; path: string };

/**
 * Requires an event that accepts new items of these kinds.
 * @throws Problem `module_disabled`, which names the first kind that is switched off; `event_cancelled`
 */
export function requireItemsAccepted(
  { enabledModules, status }: Pick<EventRow, 'enabledModules' | 'status'>,
  items: NewItemKind[],
): void {
  const disabled = items.find(({ kind }) => !enabledModules.includes(moduleOf[kind]));
  if (disabled) {
    const message = `needs the module ${moduleOf[disabled.kind]}`;
    throw new Problem('module_disabled', { errors: [{ path: disabled.path, message }] });
  }
  if (status === 'cancelled') throw new Problem('event_cancelled');
}

/** The items that a guest without an account can have claims on. */
const maxGuestClaims = 10;

/**
 * `add` makes a claim, `change` sets fields of the existing claim, `remove` deletes it. `isByOrganizer`: for the person; whether the
 * person may see the event does not count, and the organizer is not notified of the claim.
 */
export type ClaimAction = (
  | { kind: 'add'; quantity: number; note: string | null }
  | { kind: 'change'; change: ClaimChange }
  | { kind: 'remove' }
) & { isByOrganizer?: true };

/** What decides about a claim, read under the locks of the item and of a guest without an account. */
export type ClaimState = {
  /** The person who claims, with the current role. */
  viewer: Viewer;
  /** The item and its event; null if there is no such item. */
  item: ItemState | null;
  /** The viewer's RSVP and existing claim; null if there is no such item. */
  claimant: ClaimantState | null;
  /** On how many items of the event the viewer has claims; null unless the viewer is a guest without an account. */
  guestClaims: number | null;
  /** The operator's flag `claims`. */
  claimsEnabled: boolean;
};

/**
 * Decides whether a claim is made, changed or deleted. The order of the checks is part of the contract (404, 403, 409,
 * 422). The owner of a claim can always delete it, lower its quantity or remove its note, also if the event was hidden
 * since.
 * @returns the problem, or null if the command is allowed
 */
export function refuseClaim(
  command: ClaimAction,
  { viewer, item, claimant, guestClaims, claimsEnabled }: ClaimState,
): Problem | null {
  const claim = claimant?.claim ?? null;
  if (claim && (command.kind === 'remove' || isReduction(command, claim))) return null;
  const isSeen = claimant && item && (command.isByOrganizer || isVisible(item, viewer, claimant.standing));
  if (!isSeen) return new Problem('item_not_found');
  if (command.kind === 'remove') return new Problem('claim_not_found');
  if (command.kind === 'change' && !claim) return new Problem('claim_not_found');
  if (claimant.standing.isRemoved) return new Problem('removed_from_event');
  if (!claimsEnabled) return new Problem('claims_disabled');
  if (!item.enabledModules.includes(moduleOf[item.kind])) return new Problem('module_disabled');
  if (claimant.rsvp !== 'going') return new Problem('rsvp_required');
  if (item.status === 'cancelled') return new Problem('event_cancelled');
  if (command.kind === 'add' && claim) return new Problem('already_claimed');
  if (command.kind === 'add' && (guestClaims ?? 0) >= maxGuestClaims) return new Problem('guest_claims_full');
  const claimed = claim?.quantity ?? 0;
  const wanted = command.kind === 'add' ? command.quantity : (command.change.quantity ?? claimed);
  const max = item.left + claimed;
  if (wanted > max) return quantityUnavailable(item.left, max);
  return null;
}

const isReduction = (command: ClaimAction, claim: { quantity: number }): boolean =>
  command.kind === 'change' && !command.change.note && (command.change.quantity ?? 0) <= claim.quantity;

/** @param max the quantity left plus the quantity of the existing claim */
function quantityUnavailable(left: number, max: number): Problem {
  const detail = ['None is left.', 'Only 1 is left.'][left] ?? `Only ${left} are left.`;
  return new Problem('quantity_unavailable', {
    detail,
    errors: [{ path: 'quantity', rule: 'maximum', limit: max, message: `is above ${max}` }],
  });
}

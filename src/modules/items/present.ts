/** Converts rows of items and claims to response bodies. */
import { versionOf } from '../../http/conditional.ts';
import { formatItemId } from '../../lib/ids.ts';
import { avatarUrl, type PersonRow, toPerson } from '../people/present.ts';
import type { AddedItem, Claim, Claimant, GivenClaim, Item, Kind } from './schemas.ts';

export type ItemRow = {
  eventId: string;
  /** The number of the item within its event. */
  n: number;
  kind: Kind;
  title: string;
  description: string | null;
  emoji: string;
  imageUrl: string | null;
  link: string | null;
  needed: number;
  claimed: number;
  claimsVersion: number;
};
export type MyClaim = { id: string; quantity: number; note: string | null };
/** A person who claims item `n` of an event. `id`: of the person. */
export type ClaimantRow = Pick<PersonRow, 'id' | 'name' | 'avatarUpload'> &
  Pick<ClaimRow, 'n' | 'quantity' | 'note'>;

export type ClaimRow = {
  id: string;
  eventId: string;
  n: number;
  userId: string;
  quantity: number;
  note: string | null;
  createdAt: Date;
};

export const defaultEmoji: Record<Kind, string> = { bring: '🥘', wish: '🎁' };

export const toAddedItem = (row: ItemRow): AddedItem => ({
  id: formatItemId(row),
  title: row.title,
  kind: row.kind,
  quantityNeeded: row.needed,
  quantityClaimed: row.claimed,
});

/** The version of an item, for `If-Match`: claims do not change it. */
export const versionOfItem = (row: ItemRow): string =>
  versionOf([row.title, row.description, row.emoji, row.imageUrl, row.link, row.needed]);

/** How much a person brings, and what exactly. */
const toPledge = ({ quantity, note }: Pick<ClaimRow, 'quantity' | 'note'>) => ({
  quantity,
  ...(note !== null && { note }),
});

export const toMyClaim = (claim: MyClaim | undefined): NonNullable<Item['myClaim']> | null =>
  claim ? { id: claim.id, ...toPledge(claim) } : null;

export const toClaimant = (row: ClaimantRow, publicUrl: string): Claimant => ({
  name: row.name,
  avatar: avatarUrl(publicUrl, row),
  ...toPledge(row),
});

/**
 * @param myClaims the viewer's claims on the event, by the number of the item. Without a viewer null, and the body has no
 *   `myClaim`
 * @param claims the claimants that the viewer sees. Without them, the body has no `claims`
 */
export function toItem(row: ItemRow, myClaims: Map<number, MyClaim> | null, claims?: Claimant[]): Item {
  // Assigned one by one: spreads take as long as the serialization of the item.
  const item: Item = {
    id: formatItemId(row),
    title: row.title,
    kind: row.kind,
    quantityNeeded: row.needed,
    quantityClaimed: row.claimed,
    emoji: row.emoji,
    imageUrl: row.imageUrl,
    link: row.link,
    version: versionOfItem(row),
    claimsVersion: row.claimsVersion,
  };
  if (row.description !== null) item.description = row.description;
  if (myClaims) item.myClaim = toMyClaim(myClaims.get(row.n));
  if (claims) item.claims = claims;
  return item;
}

export const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  itemId: formatItemId(row),
  userId: row.userId,
  ...toPledge(row),
  createdAt: row.createdAt,
});

/** Returns null if the account of the person was deleted in the meantime, and the claim with it. */
export const toGivenClaim = (row: ClaimRow, person: PersonRow | null, publicUrl: string): GivenClaim | null =>
  person && { ...toClaim(row), user: toPerson(person, publicUrl) };

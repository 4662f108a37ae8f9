/** Items and claims as they leave the server. */
import { formatItemId } from '../../lib/ids.ts';
import { type PersonRow, toPerson } from '../users/present.ts';
import type { AddedItem, Claim, GivenClaim, Item, Kind } from './schemas.ts';

export type ItemRow = {
  eventId: string;
  n: number;
  kind: Kind;
  title: string;
  description: string | null;
  emoji: string;
  imageUrl: string | null;
  link: string | null;
  needed: number;
  claimed: number;
};
export type MyClaim = { id: string; quantity: number };

export type ClaimRow = {
  id: string;
  eventId: string;
  n: number;
  userId: string;
  quantity: number;
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

/** `myClaims`: the viewer's on the event, by the item's n; null without a viewer, and then the field is left out. */
export function toItem(row: ItemRow, myClaims: Map<number, MyClaim> | null): Item {
  const mine = myClaims?.get(row.n);
  return {
    ...toAddedItem(row),
    ...(row.description !== null && { description: row.description }),
    emoji: row.emoji,
    imageUrl: row.imageUrl,
    link: row.link,
    ...(myClaims && { myClaim: mine ? { id: mine.id, quantity: mine.quantity } : null }),
  };
}

export const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  itemId: formatItemId(row),
  userId: row.userId,
  quantity: row.quantity,
  createdAt: row.createdAt.toISOString(),
});

/** With who made it; null where that person has just left, and took the claim along. */
export const toGivenClaim = (row: ClaimRow, person: PersonRow | null, publicUrl: string): GivenClaim | null =>
  person && {
    id: row.id,
    itemId: formatItemId(row),
    user: toPerson(person, publicUrl),
    quantity: row.quantity,
    createdAt: row.createdAt.toISOString(),
  };

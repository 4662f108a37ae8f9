/** Items and claims as they leave the server. */
import type { Viewer } from '../http/viewer.ts';
import { formatItemId } from '../ids.ts';
import type { AddedItem, Claim, Item, Kind } from './schemas.ts';

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
  /** The viewer's claim. */
  claimId: string | null;
  claimQuantity: number | null;
};

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

export const toItem = (row: ItemRow, viewer: Viewer | null): Item => ({
  ...toAddedItem(row),
  ...(row.description !== null && { description: row.description }),
  emoji: row.emoji,
  imageUrl: row.imageUrl,
  link: row.link,
  ...(viewer && { myClaim: myClaim(row) }),
});

const myClaim = (row: ItemRow) =>
  row.claimId === null || row.claimQuantity === null
    ? null
    : { id: row.claimId, quantity: row.claimQuantity };

export const toClaim = (row: ClaimRow): Claim => ({
  id: row.id,
  itemId: formatItemId(row),
  userId: row.userId,
  quantity: row.quantity,
  createdAt: row.createdAt.toISOString(),
});

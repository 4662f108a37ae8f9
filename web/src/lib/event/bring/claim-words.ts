/** Texts about what a visitor has claimed. Things of the bring-list are brought; wishes are taken. */
import type { Item } from '@potluck/client';
import { formatNumber } from '#lib/language/format.ts';
import { m } from '#lib/messages/index.js';

const isWish = ({ kind }: Item): boolean => kind === 'wish';

/** Such as `You bring 2`. */
export const claimText = (item: Item, quantity: number): string =>
  (isWish(item) ? m.event_yours : m.event_you_bring)({ quantity: formatNumber(quantity) });

/** With the name of the item, for screen readers. */
export const claimAnnouncement = (item: Item, quantity: number): string =>
  (isWish(item) ? m.event_yours_item : m.event_you_bring_item)({ quantity, item: item.title });

/** The title, the text and the button of the question whether people who step back keep their claims. */
export const claimsQuestion = (claimed: Item[]): { title: string; text: string; release: string } =>
  claimed.some(isWish)
    ? { title: m.event_keep_wish_title(), text: m.event_keep_wish_text(), release: m.event_release_wish() }
    : { title: m.event_keep_title(), text: m.event_keep_text(), release: m.event_release() };

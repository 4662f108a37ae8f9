/** The limits on the items of one event. */
import { Problem } from '../../lib/errors.ts';
import type { ItemRow } from './present.ts';

/** The maximum size of the items of one event: a list has no pages, and a live stream begins with all items. */
const maxItems = 500;
const maxTextBytes = 1024 ** 2;

/** The number of items, and the size of their texts in bytes of UTF-8. */
export type ItemListSize = { items: number; bytes: number };

type ItemTexts = Pick<ItemRow, 'title' | 'description' | 'emoji' | 'imageUrl' | 'link'>;

/** The size of an item's texts in bytes of UTF-8, as `measureItems` counts it. */
export const textBytes = ({ title, description, emoji, imageUrl, link }: ItemTexts): number =>
  [title, description, emoji, imageUrl, link].reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);

/**
 * Refuses an addition that makes the item list of an event larger than allowed. A list that is too large already, from
 * a time without this limit, can be read, shortened and changed, but cannot grow.
 * @param size before the addition
 * @throws Problem `item_list_full`
 */
export function requireItemCapacity(size: ItemListSize, added: ItemListSize): void {
  if (added.items > 0 && size.items + added.items > maxItems) {
    throw new Problem('item_list_full', {
      detail: `The event would have ${size.items + added.items} items; ${maxItems} are allowed.`,
    });
  }
  if (added.bytes > 0 && size.bytes + added.bytes > maxTextBytes) {
    const detail = `The texts of the event's items would have ${size.bytes + added.bytes} bytes; ${maxTextBytes} are allowed.`;
    throw new Problem('item_list_full', { detail });
  }
}

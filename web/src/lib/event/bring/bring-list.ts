/** The order of an event's items on its page, and what is left of them. */
import type { Item } from '@potluck/client';

export type Kind = Item['kind'];

export const leftOf = ({ quantityNeeded, quantityClaimed }: Item): number =>
  Math.max(0, quantityNeeded - quantityClaimed);

/** Whether others bring all of it. What the visitor brings can be changed, and has its place with what is needed. */
export const isTaken = (item: Item): boolean => leftOf(item) === 0 && !item.myClaim;

/** What is needed most first, and wishes after what guests bring. */
export const inOrder = (items: Item[]): Item[] => items.toSorted((a, b) => rankOf(a) - rankOf(b));

/** Below 1 for what is needed, with what the visitor brings first; 1 for what is taken, 2 for what others bring of it. */
const shareOf = (item: Item): number => {
  if (leftOf(item) === 0) return item.myClaim ? 1 : 2;
  return item.myClaim ? -1 : item.quantityClaimed / item.quantityNeeded;
};

const rankOf = (item: Item): number => (item.kind === 'wish' ? 4 : 0) + shareOf(item);

/** How many of an item are brought by people whom the visitor may not see. */
export const hiddenOf = ({ quantityClaimed, claims = [] }: Item): number =>
  Math.max(0, quantityClaimed - claims.reduce((sum, { quantity }) => sum + quantity, 0));

/** How many of the items of each kind are needed, and how many of these are taken. */
export type Totals = Record<Kind, { needed: number; taken: number }>;

const none: Totals = { bring: { needed: 0, taken: 0 }, wish: { needed: 0, taken: 0 } };

/** Adds items to totals, or with -1 takes them off. */
export function countItems(items: Item[], before = none, sign = 1): Totals {
  const totals = { bring: { ...before.bring }, wish: { ...before.wish } };
  for (const { kind, quantityNeeded, quantityClaimed } of items) {
    totals[kind].needed += sign * quantityNeeded;
    totals[kind].taken += sign * quantityClaimed;
  }
  return totals;
}

/** The rows of a list in the places where they were shown first, until the list has another address. */
export class ShownRows {
  #address = '';
  #rows: Item[] = [];

  /**
   * @param also rows that stay although they are not among `rows` any more, such as the one whose form has a result: as they
   *   are now, or by their ids as they were shown
   */
  update(address: string, rows: Item[], also: (Item | string | null | undefined)[]): Item[] {
    const isFirst = this.#address === '';
    const shown = address === this.#address ? this.#rows : [];
    const all = new Map(rows.map((row) => [row.id, row]));
    for (const each of also) {
      const before = shown.find(({ id }) => id === (typeof each === 'string' ? each : each?.id));
      const row = typeof each === 'object' && (before || isFirst) ? each : before;
      if (row && !all.has(row.id)) all.set(row.id, row);
    }
    const places = new Map(shown.map(({ id }, i) => [id, i]));
    const placeOf = ({ id }: Item) => places.get(id) ?? shown.length;
    this.#address = address;
    this.#rows = [...all.values()].toSorted((a, b) => placeOf(a) - placeOf(b));
    return this.#rows;
  }
}

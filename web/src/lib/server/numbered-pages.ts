/** Divides long lists among pages, so that rendering one never delays other visitors for long. */

import { readQuery } from './read-fields.ts';

/** `page`: from 1 to `pages`. */
export type NumberedPage<T> = { rows: T[]; page: number; pages: number };

/** Rows of a person or an item with little more than a name. */
export const rowsPerPage = 150;

/** The page that the parameter `page` of an address names; the first one if it is not a number. */
export const readPageNumber = (url: URL): number => Math.floor(Number(readQuery(url).text('page'))) || 1;

/**
 * The page `wanted` of a list; the last one if there are fewer.
 * @param maxWeight of the rows of a page. A heavier row has a page of its own.
 */
export function pageOf<T>(
  all: T[],
  wanted: number,
  maxWeight: number,
  weightOf: (row: T) => number = () => 1,
): NumberedPage<T> {
  const pages: T[][] = [[]];
  let weight = 0;
  for (const row of all) {
    weight += weightOf(row);
    const last = pages.at(-1) ?? [];
    if (weight <= maxWeight || last.length === 0) last.push(row);
    else {
      pages.push([row]);
      weight = weightOf(row);
    }
  }
  const page = Math.min(Math.max(wanted, 1), pages.length);
  return { rows: pages[page - 1] ?? [], page, pages: pages.length };
}

/** The part of an event's items that its page shows. */
import type { Item } from '@potluck/client';
import { countItems, inOrder, isTaken } from '#lib/event/bring-list.ts';
import { pageOf, readPageNumber } from '#lib/server/numbered-pages.ts';
import { readQuery } from '#lib/server/read-fields.ts';

const itemsPerPage = 50;
/** A list with as many items can be searched. */
const longList = 20;

export const shownItems = ['all', 'needed', 'mine'] as const;
type Shown = (typeof shownItems)[number];

/**
 * The page of the list that the address names, or the one with the item that a refusal is about. `query`: what the
 * address of a form adds, so that the page stays: `&page=2`, or nothing.
 */
export function bringPage(items: Item[], url: URL, about?: string) {
  const search = readSearch(url);
  const listed = inOrder(items).filter((item) => matches(item, search));
  const at = listed.findIndex(({ id }) => id === about);
  const list = pageOf(listed, at < 0 ? readPageNumber(url) : 1 + Math.floor(at / itemsPerPage), itemsPerPage);
  const isFiltered = search.q !== '' || search.show !== 'all';
  return {
    ...list,
    search,
    query: toQuery({ ...search, page: list.page }),
    totals: countItems(items),
    isSearchable: items.length >= longList || isFiltered,
    /** Whether the page has all items of the event. */
    isWhole: list.pages === 1 && !isFiltered,
  };
}

type Search = { q: string; show: Shown };

function readSearch(url: URL): Search {
  const query = readQuery(url);
  return {
    q: query.text('q').slice(0, 100),
    show: shownItems.find((show) => show === query.text('show')) ?? 'all',
  };
}

const toQuery = ({ q, show, page }: Search & { page: number }): string => {
  const query = new URLSearchParams({
    ...(page > 1 && { page: String(page) }),
    ...(show !== 'all' && { show }),
    ...(q && { q }),
  });
  return query.size > 0 ? `&${query}` : '';
};

/** Claimants and their notes are found if the visitor sees them. */
function matches(item: Item, { q, show }: Search): boolean {
  if (show === 'mine' && !item.myClaim) return false;
  // What the visitor has just claimed stays, so that the row does not vanish.
  if (show === 'needed' && isTaken(item)) return false;
  if (q === '') return true;
  const texts = [item.title, item.description, item.myClaim?.note];
  for (const { name, note } of item.claims ?? []) texts.push(name, note);
  return texts.some((text) => text !== undefined && simplify(text).includes(simplify(q)));
}

/** Without accents and capitals. */
const simplify = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The part of an event's items that its page shows. */
import type { Item } from '@potluck/client';
import { countItems, inOrder, isTaken } from '#lib/event/bring/bring-list.ts';
import { withoutAccents } from '#lib/language/compare.ts';
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
export async function bringPage(items: Item[], url: URL, mapInTurns: MapInTurns, about?: string) {
  const search = readSearch(url);
  const listed = await findItems(inOrder(items), search, mapInTurns);
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

type MapInTurns = App.Platform['mapInTurns'];
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

/** The items of an event have a megabyte of text and more. */
async function findItems(items: Item[], { q, show }: Search, mapInTurns: MapInTurns): Promise<Item[]> {
  const shown = items.filter((item) => isShown(item, show));
  if (q === '') return shown;
  const searched = withoutAccents(q);
  const found = await mapInTurns(shown, (item) => contains(item, searched));
  return shown.filter((_, i) => found[i]);
}

function isShown(item: Item, show: Shown): boolean {
  if (show === 'mine') return Boolean(item.myClaim);
  // What the visitor has just claimed stays, so that the row does not vanish.
  return show === 'all' || !isTaken(item);
}

/** Claimants and their notes are found if the visitor sees them. @param searched without accents and capitals */
function contains(item: Item, searched: string): boolean {
  const texts = [item.title, item.description, item.myClaim?.note];
  for (const { name, note } of item.claims ?? []) texts.push(name, note);
  return texts.some((text) => text !== undefined && withoutAccents(text).includes(searched));
}

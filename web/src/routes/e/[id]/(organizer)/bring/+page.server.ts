import type { GivenClaim, Item } from '@potluck/client';
import { loadBringList } from '#lib/event/bring/server/claims.ts';
import { sortedByName } from '#lib/language/compare.ts';
import { type NumberedPage, pageOf, readPageNumber, rowsPerPage } from '#lib/server/numbered-pages.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api }, params: { id }, url }) => {
  const { items, claims, isCut } = await loadBringList(api, id);
  const wanted = readPageNumber(url);
  const isEmpty = items.length === 0;
  return readQuery(url).text('by') === 'person'
    ? { isByPerson: true as const, isCut, isEmpty, people: pageOfGroups(toPeople(items, claims), wanted) }
    : { isByPerson: false as const, isCut, isEmpty, items: pageOfGroups(toRows(items, claims), wanted) };
};

/** Each claim is a line of its item or its person. The table for spreadsheets has the lines that are left out here. */
type Group<L> = { lines: L[]; more: number };

const toGroup = <L>(lines: L[]): Group<L> => ({
  lines: lines.slice(0, rowsPerPage),
  more: Math.max(lines.length - rowsPerPage, 0),
});

const pageOfGroups = <G extends Group<unknown>>(groups: G[], wanted: number): NumberedPage<G> =>
  pageOf(groups, wanted, rowsPerPage, ({ lines }) => 1 + lines.length);

function toRows(items: Item[], claims: GivenClaim[]) {
  const claimsOf = Map.groupBy(claims, ({ itemId }) => itemId);
  return items.map(({ id, emoji, title, kind, quantityNeeded, quantityClaimed }) => ({
    id,
    emoji,
    title,
    kind,
    quantityNeeded,
    quantityClaimed,
    ...toGroup(
      (claimsOf.get(id) ?? []).map(({ user, quantity, note = '' }) => ({ ...user, quantity, note })),
    ),
  }));
}

function toPeople(items: Item[], claims: GivenClaim[]) {
  const itemById = new Map(items.map((item) => [item.id, item]));
  const people = [...Map.groupBy(claims, ({ user }) => user.id).values()].flatMap((ofPerson) => {
    const [first] = ofPerson;
    if (!first) return [];
    const { id, name, avatar, hasAccount } = first.user;
    const brought = ofPerson.flatMap(({ itemId, quantity, note = '' }) => {
      const item = itemById.get(itemId);
      return item ? [{ id: item.id, emoji: item.emoji, title: item.title, quantity, note }] : [];
    });
    return brought.length > 0 ? [{ id, name, avatar, hasAccount, ...toGroup(brought) }] : [];
  });
  return sortedByName(people, ({ name }) => name);
}

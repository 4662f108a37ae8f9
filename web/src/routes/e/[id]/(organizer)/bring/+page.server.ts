import type { GivenClaim, Item } from '@potluck/client';
import { loadBringList } from '#lib/server/organizer/claims.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api }, params: { id }, url }) => {
  const { items, claims, isCut } = await loadBringList(api, id);
  const isByPerson = url.searchParams.get('by') === 'person';
  return {
    isByPerson,
    isCut,
    items: isByPerson ? [] : items.map((item) => toRow(item, claims)),
    people: isByPerson ? toPeople(items, claims) : [],
    isEmpty: items.length === 0,
  };
};

const toRow = ({ id, emoji, title, kind, quantityNeeded, quantityClaimed }: Item, claims: GivenClaim[]) => ({
  id,
  emoji,
  title,
  kind,
  quantityNeeded,
  quantityClaimed,
  claims: claims
    .filter(({ itemId }) => itemId === id)
    .map(({ user, quantity }) => ({ id: user.id, name: user.name, quantity })),
});

type Brought = { id: string; emoji: string; title: string; quantity: number };

function toPeople(items: Item[], claims: GivenClaim[]) {
  const itemById = new Map(items.map((item) => [item.id, item]));
  const people = new Map<string, { id: string; name: string; avatar: string; items: Brought[] }>();
  for (const { user, itemId, quantity } of claims) {
    const item = itemById.get(itemId);
    if (!item) continue;
    const person = people.get(user.id) ?? { id: user.id, name: user.name, avatar: user.avatar, items: [] };
    person.items.push({ id: item.id, emoji: item.emoji, title: item.title, quantity });
    people.set(user.id, person);
  }
  return [...people.values()].sort((a, b) => a.name.localeCompare(b.name));
}

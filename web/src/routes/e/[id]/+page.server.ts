import { getEvent, getFeatures, type Item, listItems } from '@potluck/client';
import type { GuestResult } from '#lib/event/guest-result.ts';
import { guestActions } from '#lib/server/event/guest-actions.ts';
import { loadExtras } from '#lib/server/event/load-extras.ts';
import { pageOf, readPageNumber } from '#lib/server/numbered-pages.ts';
import { problemText, load as read } from '#lib/server/problems.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, params: { id }, url, platform, depends }) => {
  depends('app:event');
  const { api: client, me } = locals;
  const [event, items, features] = await Promise.all([
    read(getEvent({ client, path: { id } })),
    read(listItems({ client, path: { id } })),
    read(getFeatures({ client })),
  ]);
  const refusal = readRefusal(url.searchParams);
  return {
    event,
    list: pageOfItems(items.data, url, refusal?.about),
    claimed: items.data.filter(({ myClaim }) => myClaim),
    features,
    refusal,
    demoAccounts: me ? [] : (platform?.demoAccounts ?? []),
    ...(await loadExtras(event, locals)),
  };
};

const itemsPerPage = 50;

/** The page of the list that the address names, or the one with the item that a refusal is about. */
function pageOfItems(items: Item[], url: URL, about: string | undefined) {
  const ordered = items.toSorted((a, b) => Number(a.kind === 'wish') - Number(b.kind === 'wish'));
  const at = ordered.findIndex(({ id }) => id === about);
  const wanted = at < 0 ? readPageNumber(url) : 1 + Math.floor(at / itemsPerPage);
  return pageOf(ordered, wanted, itemsPerPage);
}

/** What could not be done after the sign-in. */
function readRefusal(query: URLSearchParams): GuestResult | null {
  const code = query.get('refused');
  if (code === null) return null;
  return {
    about: query.get('itemId') ?? 'rsvp',
    problem: { code, message: problemText(code), fields: {} },
    quantity: Number(query.get('quantity') ?? 1),
  };
}

export const actions = guestActions;

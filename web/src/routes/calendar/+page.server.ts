import { hrefOf, readSearch } from '#lib/discovery/search.ts';
import { toFilters } from '#lib/discovery/server/filters.ts';
import { findPlace } from '#lib/discovery/server/places.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api }, url }) => {
  const { search } = await findPlace(api, readSearch(readQuery(url)));
  // A subscription has the events to come, so `today` would be wrong tomorrow.
  const lasting = { ...search, when: search.when === 'range' ? search.when : null };
  const feed = new URL('/v1/events.ics', url);
  for (const [name, value] of Object.entries(toFilters(lasting))) feed.searchParams.set(name, `${value}`);
  return { search: lasting, feed: feed.href, back: hrefOf(search) };
};

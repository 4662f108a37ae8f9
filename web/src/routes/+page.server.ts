import { readSearch } from '#lib/discovery/search.ts';
import { findPlace, isReversed, loadEvents, loadMap } from '#lib/server/discovery.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { api, me }, url, platform }) => {
  const { search, others, isUnknown } = await findPlace(api, readSearch(url.searchParams));
  const [list, map] = await Promise.all([
    loadEvents(api, search),
    search.view === 'map' ? loadMap(api, search) : null,
  ]);
  return {
    search,
    list,
    map,
    otherPlaces: others,
    isPlaceUnknown: isUnknown,
    areDatesReversed: isReversed(search),
    isDemo: me === null && (platform?.demoAccounts.length ?? 0) > 0,
  };
};

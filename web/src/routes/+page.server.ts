import { redirect } from '@sveltejs/kit';
import { readSearch } from '#lib/discovery/search.ts';
import { loadEvents } from '#lib/discovery/server/events.ts';
import { loadMap } from '#lib/discovery/server/map.ts';
import { loadMeant } from '#lib/discovery/server/meant.ts';
import { findPlace } from '#lib/discovery/server/places.ts';
import { hrefOfMeant } from '#lib/discovery/server/what-or-where.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url, platform, isDataRequest }) => {
  const { api, me } = locals;
  const query = readQuery(url);
  const asked = readSearch(query);
  if (query.has('find')) redirect(303, await hrefOfMeant(api, asked));
  const { search, others, isUnknown } = await findPlace(api, asked);
  const mapTiles = platform?.mapTiles ?? null;
  const isMoved = isDataRequest && search.box !== null;
  const map = search.view === 'map' ? await loadMap(api, search, mapTiles !== null, isMoved) : null;
  // Beside a map, the list has what the map shows.
  const list = await loadEvents(api, { ...search, box: map?.box ?? null }, !isDataRequest);
  const meant = list.total === 0 && search.q !== '' ? await loadMeant(api, search) : [];
  if (map && isForeign(mapTiles)) locals.foreignSource = mapTiles;
  return {
    search,
    list,
    meant,
    map,
    mapTiles,
    // A page that is loaded with the list may not load from there later.
    isMapReloaded: isForeign(mapTiles),
    otherPlaces: others,
    /** The words that the visitor entered, if the page shows what they stand for. */
    asked: query.text('asked').slice(0, 200),
    isPlaceUnknown: isUnknown,
    /** Without scripts, the filters are a part of the page. */
    isFiltering: query.has('filters'),
    isDemo: me === null && (platform?.demoAccounts.length ?? 0) > 0,
  };
};

const isForeign = (address: string | null): address is string => address?.startsWith('https://') ?? false;

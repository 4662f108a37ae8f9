/** How geocoders are asked, and what their answers say. */
import type { Coordinates } from '#record-index';

/** A street, or a spot with a name. `town`: empty if the geocoder names none. `country`: ISO 3166-1 alpha-2. */
export type Street = Coordinates & { street: string; town: string; country: string };

export type Dialect = { path: string; query: (q: string) => Record<string, string> };

/** Of one answer. */
export const maxStreets = 20;
/** More than any name. */
const maxName = 200;

export const dialects: Record<'nominatim' | 'photon', Dialect> = {
  nominatim: {
    path: '/search',
    query: (q) => ({ q, format: 'jsonv2', addressdetails: '1', limit: String(maxStreets) }),
  },
  photon: { path: '/api', query: (q) => ({ q, limit: String(maxStreets) }) },
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textIn = (fields: Fields, ...names: string[]): string => {
  const found = names.map((name) => fields[name]).find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string'
    ? found.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, ' ').slice(0, maxName)
    : '';
};

/** Reads the answer of a geocoder by its form: a list is one of Nominatim, a `FeatureCollection` one of Photon. @returns null for others */
export function readStreets(answer: unknown): Street[] | null {
  if (Array.isArray(answer)) return answer.slice(0, maxStreets).flatMap(fromNominatim);
  if (!isFields(answer) || !Array.isArray(answer.features)) return null;
  return answer.features.slice(0, maxStreets).flatMap(fromPhoton);
}

function fromNominatim(place: unknown): Street[] {
  if (!isFields(place) || !isFields(place.address)) return [];
  const { address } = place;
  const road = textIn(address, 'road', 'pedestrian', 'footway', 'square', 'place', 'hamlet');
  const street = joined(road, textIn(address, 'house_number')) || textIn(place, 'name');
  const town = textIn(address, 'city', 'town', 'village', 'municipality', 'hamlet', 'county');
  return toStreet(
    { street, town, country: textIn(address, 'country_code') },
    Number(place.lat),
    Number(place.lon),
  );
}

function fromPhoton(feature: unknown): Street[] {
  if (!isFields(feature) || !isFields(feature.properties) || !isFields(feature.geometry)) return [];
  const { properties, geometry } = feature;
  const [lng, lat] = Array.isArray(geometry.coordinates) ? geometry.coordinates : [];
  const road = joined(textIn(properties, 'street'), textIn(properties, 'housenumber'));
  const street = road || textIn(properties, 'name');
  const town = textIn(properties, 'city', 'locality', 'district', 'county');
  return toStreet({ street, town, country: textIn(properties, 'countrycode') }, Number(lat), Number(lng));
}

const joined = (road: string, number: string): string => (road && number ? `${road} ${number}` : road);

function toStreet(named: Omit<Street, keyof Coordinates>, lat: number, lng: number): Street[] {
  const isPlace = Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  const country = /^[a-z]{2}$/i.test(named.country) ? named.country.toUpperCase() : '';
  return isPlace && named.street !== '' && country !== '' ? [{ ...named, country, lat, lng }] : [];
}

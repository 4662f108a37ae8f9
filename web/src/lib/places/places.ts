/** Places of the gazetteer as people read them. */
import type { Place } from '@potluck/client';
import { getLanguage } from '#lib/language/languages.ts';

/** A place that the visitor chose, which decides the coordinates and the time zone of the event. */
export type ChosenPlace = {
  /** The address of an event that is in the place and nowhere in particular; of a stored event, its address. */
  label: string;
  /** The name in an address, such as `Springfield, IL`. */
  town: string;
  lat: number;
  lng: number;
  timeZone: string;
  /** ISO 3166-1 alpha-2; undefined for the place of a stored event. */
  country?: string | undefined;
  /** Of one of several places to choose from: the entered address, if it is this place that it means. */
  address?: string;
  /** Whether the coordinates are those of `address`, and not of the town. */
  isExact?: boolean;
};

/** Such as `Springfield, IL, United States`. */
export const labelOf = ({ name, region, country }: Pick<Place, 'name' | 'region' | 'country'>): string =>
  [name, region, countryName(country)].filter((part) => part !== undefined).join(', ');

const countryName = (code: string): string =>
  new Intl.DisplayNames(getLanguage(), { type: 'region' }).of(code) ?? code;

export const toChosen = (place: Place): ChosenPlace => ({
  label: labelOf(place),
  town: place.region === undefined ? place.name : `${place.name}, ${place.region}`,
  lat: place.lat,
  lng: place.lng,
  timeZone: place.timeZone,
  country: place.country,
  ...(place.isExact && { isExact: true }),
});

/** The public place of an event that hides its address: the middle of a cell of about one square kilometre (specification 2.4). */
import type { Coordinates } from '#record-index';
import { timeZoneAt } from '../../lib/time-zones.ts';
import type { Gazetteer } from '../places/gazetteer.ts';
import { loadGazetteer } from '../places/load-gazetteer.ts';
import type { EventFields } from './event-fields.ts';

/** Where everybody sees an event. */
export type ShownPlace = <P extends Coordinates & Pick<EventFields, 'addressVisibility'>>(
  event: P,
) => P | (P & PublicPlace);
export type PublicPlace = Pick<EventFields, 'address' | 'lat' | 'lng' | 'isExact'>;

/** Of events that hide nothing. */
export const asEntered: ShownPlace = (event) => event;

/** Loads what the public places of some events are found by; nothing if none of them hides its address. */
export async function loadShownPlaces(
  ...events: Partial<Pick<EventFields, 'addressVisibility'>>[]
): Promise<ShownPlace> {
  if (!events.some(({ addressVisibility }) => addressVisibility === 'going')) return asEntered;
  const gazetteer = await loadGazetteer();
  return (event) =>
    event.addressVisibility === 'going' ? { ...event, ...publicPlaceOf(gazetteer, event) } : event;
}

/** Rows of the grid for each degree of latitude. */
const rowsPerDegree = 111.32;

/** The middle of the cell. All points of a cell have the same row, so its columns have one width. */
function middleOf({ lat, lng }: Coordinates): Coordinates {
  const middle = (Math.floor(lat * rowsPerDegree) + 0.5) / rowsPerDegree;
  const width = 1 / (rowsPerDegree * Math.cos((middle * Math.PI) / 180));
  const column = (Math.floor(lng / width) + 0.5) * width;
  return { lat: rounded(middle), lng: rounded(Math.min(180, Math.max(-180, column))) };
}

const rounded = (degrees: number): number => Number(degrees.toFixed(6));

/** Inhabitants of a town in which an event may be anywhere. Of a smaller one, the middle of a cell could be that of a house. */
const minTown = 1_000;

/** Depends on the middle of the cell alone. */
export function publicPlaceOf(gazetteer: Gazetteer, place: Coordinates): PublicPlace {
  const middle = middleOf(place);
  const town = gazetteer.nearest(middle, { minPopulation: 0 });
  const { lat, lng } = town && town.population < minTown ? town : middle;
  return { address: town?.name ?? countryOf(gazetteer, middle), lat, lng, isExact: false };
}

const countryNames = new Intl.DisplayNames('en', { type: 'region' });
/** Farther than any two places. */
const anywhere = { minPopulation: 0, withinKm: 30_000 };

/** Far from towns. The map of time zones tells land from sea. */
function countryOf(gazetteer: Gazetteer, middle: Coordinates): string {
  if (timeZoneAt(middle).startsWith('Etc/')) return 'At sea';
  const nearest = gazetteer.nearest(middle, anywhere);
  return nearest ? (countryNames.of(nearest.country) ?? nearest.country) : 'At sea';
}

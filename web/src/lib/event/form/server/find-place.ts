/** Finds the place that the visitor means by an address, or by the name of a town. */
import { type Client, type Place, searchPlaces } from '@potluck/client';
import type { EventValues } from '#lib/event/form/event-values.ts';
import { m } from '#lib/messages/index.js';
import { parseChosen } from '#lib/places/parse-chosen.ts';
import { addressIn, isAddressIn } from '#lib/places/place-address.ts';
import { type ChosenPlace, toChosen } from '#lib/places/places.ts';

/** Of an address, as the API permits it. */
const maxLength = 300;

export type PlaceResult =
  /** `address`: in one line, with the town. */
  | { place: ChosenPlace; address: string }
  /** `choices` is empty if no place has the name. */
  | { place: null; choices: ChosenPlace[]; error: string };

/**
 * The chosen place, unless the address names another one; or the only place that it names; or places to choose from. A
 * street without a town is in the chosen place.
 * @param street whether the visitor has asked for streets
 */
export async function findPlace(
  client: Client,
  { address, place }: Pick<EventValues, 'address' | 'place'>,
  street = false,
): Promise<PlaceResult> {
  const chosen = parseChosen(place);
  if (address === '') return { place: null, choices: [], error: m.field_required() };
  if (chosen && isAddressIn(address, chosen)) return { place: chosen, address };
  const { data } = await searchPlaces({
    client,
    query: { q: address.slice(0, maxLength), limit: 8, street },
  });
  const places = data.data;
  const named = places.filter(({ isWholeName }) => isWholeName);
  const at = (found: ChosenPlace, street = '') => ({ place: found, address: addressIn(street, found) });
  if (chosen && named.length === 0) return at(chosen, address);
  const meant = named.length > 0 ? named : places;
  const same = chosen && meant.find((each) => isAt(each, chosen));
  if (same) return at(chosen, same.address?.street);
  const [only, ...others] = meant;
  if (only && others.length === 0) return at(toChosen(only), only.address?.street);
  return { place: null, choices: places.map(toChoice), error: errorOf(address, places.length) };
}

/** The place with the entered address in it, so that the choice among namesakes keeps the street. */
function toChoice(place: Place): ChosenPlace {
  const chosen = toChosen(place);
  return { ...chosen, address: addressIn(place.address?.street ?? '', chosen) };
}

const isAt = ({ lat, lng }: Place, chosen: ChosenPlace): boolean => lat === chosen.lat && lng === chosen.lng;

function errorOf(address: string, found: number): string {
  if (found > 0) return m.organizer_error_choose_place();
  return /\p{Nd}/u.test(address) ? m.organizer_error_no_town() : m.organizer_error_no_place();
}

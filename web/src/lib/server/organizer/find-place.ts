/** Finds the place that the visitor means by the name of a town, or by an address. */
import { type Client, searchPlaces } from '@potluck/client';
import { type ChosenPlace, parseChosen, toChosen } from '#lib/discovery/places.ts';
import { searchAddress } from '#lib/discovery/search-address.ts';
import type { EventValues } from '#lib/event/event-values.ts';
import { m } from '#lib/messages/index.js';

export type PlaceResult =
  /** `street`: what was typed in front of the town. */
  | { place: ChosenPlace; street: string }
  /** `choices` is empty if no place has the name. */
  | { place: null; choices: ChosenPlace[]; street: string; error: string };

/** The chosen place; or the only place with the typed name; or places to choose from. */
export async function findPlace(
  client: Client,
  { town, place }: Pick<EventValues, 'town' | 'place'>,
): Promise<PlaceResult> {
  const chosen = parseChosen(place);
  if (chosen && chosen.label === town) return { place: chosen, street: '' };
  if (town === '') return { place: null, choices: [], street: '', error: m.field_required() };
  const { places, named, street } = await searchAddress(town, async (name) => {
    const { data } = await searchPlaces({ client, query: { q: name, limit: 8 } });
    return data.data;
  });
  const [only, ...others] = named.length > 0 ? named : places;
  if (only && others.length === 0) return { place: toChosen(only), street };
  return { place: null, choices: places.map(toChosen), street, error: errorOf(town, places.length) };
}

function errorOf(town: string, found: number): string {
  if (found > 0) return m.organizer_error_choose_place();
  return /\p{Nd}/u.test(town) ? m.organizer_error_no_town() : m.organizer_error_no_place();
}

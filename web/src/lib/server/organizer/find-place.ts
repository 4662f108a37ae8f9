/** Finds the place that the visitor means by the name of a town. */
import { type Client, searchPlaces } from '@potluck/client';
import { type ChosenPlace, parseChosen, toChosen } from '#lib/discovery/places.ts';
import type { EventValues } from '#lib/event/event-values.ts';
import { m } from '#lib/messages/index.js';

export type PlaceResult =
  | { place: ChosenPlace }
  /** `choices` is empty if no place has the name. */
  | { place: null; choices: ChosenPlace[]; error: string };

/** The chosen place; or the only place with the typed name; or places to choose from. */
export async function findPlace(
  client: Client,
  { town, place }: Pick<EventValues, 'town' | 'place'>,
): Promise<PlaceResult> {
  const chosen = parseChosen(place);
  if (chosen && chosen.label === town) return { place: chosen };
  const name = town.split(',')[0]?.trim().slice(0, 100) ?? '';
  if (name === '') return { place: null, choices: [], error: m.field_required() };
  const { data } = await searchPlaces({ client, query: { q: name, limit: 8 } });
  const found = data.data.map(toChosen);
  const matching = found.filter(({ label }) => label.toLowerCase() === town.toLowerCase());
  const [only] = matching.length > 0 ? matching : found;
  if (only && (matching.length === 1 || found.length === 1)) return { place: only };
  const error = found.length > 0 ? m.organizer_error_choose_place() : m.organizer_error_no_place();
  return { place: null, choices: found, error };
}

/** Words near a mistyped one. */
import { editDistance } from '../../../lib/edit-distance.ts';

/** A word of listed events. `frequency`: how many have it, about. */
export type FoundWord = { word: string; frequency: number };
export type NearWord = FoundWord & { distance: number };

/** Shorter words resemble too many others. */
const minLength = 3;
/** From this length on, two letters may differ. */
const minLengthForTwo = 5;

/** How many letters of a word may differ; 0 for a word that has no near words. */
export const maxEditsOf = (word: string): number =>
  word.length >= minLengthForTwo ? 2 : word.length >= minLength ? 1 : 0;

/** Selects the found words that are near a word: the nearest first, of equally near ones the more frequent. */
export function selectNear(word: string, found: FoundWord[]): NearWord[] {
  const max = maxEditsOf(word);
  return found
    .map((each) => ({ ...each, distance: editDistance(word, each.word, max) }))
    .filter(({ distance }) => distance <= max)
    .sort((a, b) => a.distance - b.distance || b.frequency - a.frequency || (a.word < b.word ? -1 : 1));
}

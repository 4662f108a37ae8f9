/** Words near a mistyped one. */
import { editDistance } from '#record-index';

/** A word of listed events. `frequency`: how many have it, about. */
export type FoundWord = { word: string; frequency: number };
export type NearWord = FoundWord & { distance: number };

/**
 * The most work for the near words of one mistyped word. Strangers choose the words of the events and those of the search,
 * so the mistyped words of a request share a limit.
 */
export type Effort = {
  /** Words whose signatures are looked at: of the segment, and of the overlay. */
  visits: number;
  /** Words that are compared letter by letter: of the segment, and of the overlay. */
  comparisons: number;
  /** In SQL mode, words that the database lists from the texts of events. */
  listed: number;
};

const effortOfRequest: Effort = { visits: 1_000_000, comparisons: 10_000, listed: 500_000 };

/** The effort for each of `words` mistyped words of a request. */
export function effortForEach(words: number): Effort {
  const { visits, comparisons, listed } = effortOfRequest;
  const share = (whole: number): number => Math.floor(whole / words);
  return { visits: share(visits), comparisons: share(comparisons), listed: share(listed) };
}

/** Shorter words resemble too many others. */
const minLength = 3;
/** From this length on, two letters may differ. */
const minLengthForTwo = 5;

/** How many letters of a word may differ; 0 for a word that has no near words. */
export const maxEditsOf = (word: string): number =>
  word.length >= minLengthForTwo ? 2 : word.length >= minLength ? 1 : 0;

/** Selects the found words that are near a word: the nearest first, of equally near ones the more frequent. */
export function selectNear(word: string, found: Iterable<FoundWord>): NearWord[] {
  const max = maxEditsOf(word);
  const near: NearWord[] = [];
  for (const each of found) {
    const distance = editDistance(word, each.word, max);
    if (distance <= max) near.push({ ...each, distance });
  }
  return near.sort(
    (a, b) => a.distance - b.distance || b.frequency - a.frequency || (a.word < b.word ? -1 : 1),
  );
}

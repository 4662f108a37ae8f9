/** Corrected texts for a search that finds nothing. */
import { maxOf } from './limits.ts';
import { type Effort, effortForEach, type NearWord } from './near-words.ts';

export type Correction = { q: string; eventsCount: number };
type Search = {
  /** The number of events that a search finds. */
  count: (q: string) => Promise<number>;
  /** Words near a word, the nearest first. */
  nearWords: (word: string, effort: Effort) => Promise<NearWord[]>;
};
/** Words in the order of the search, and how far they are from its words. */
type Text = { words: string[]; distance: number };

/** Searches whose events are counted at most. */
const maxCounted = 9;

/**
 * Replaces each word that finds nothing by words near it, as far as the corrected texts find something: the nearest
 * first, of equally near ones the one with more events.
 * @param words of a search that finds nothing
 */
export async function listCorrections(words: string[], search: Search): Promise<Correction[]> {
  const missing = words.length === 1 ? words : await withoutEvents(words, search);
  // The more words are wrong, the fewer choices each has.
  const choices = Math.floor(maxCounted ** (1 / missing.length));
  if (missing.length === 0) return [];
  const effort = effortForEach(missing.length);
  const near = new Map<string, NearWord[]>();
  for (const word of missing) near.set(word, (await search.nearWords(word, effort)).slice(0, choices));
  const texts = words.reduce<Text[]>(
    (starts, word) => {
      const next = near.get(word) ?? [{ word, distance: 0 }];
      return starts.flatMap((start) => next.map((each) => append(start, each)));
    },
    [{ words: [], distance: 0 }],
  );
  const counted = await Promise.all(
    texts.map(async ({ words, distance }) => {
      const q = words.join(' ');
      return { q, distance, eventsCount: await search.count(q) };
    }),
  );
  return counted
    .filter(({ eventsCount }) => eventsCount > 0)
    .sort((a, b) => a.distance - b.distance || b.eventsCount - a.eventsCount || (a.q < b.q ? -1 : 1))
    .slice(0, maxOf.corrections)
    .map(({ q, eventsCount }) => ({ q, eventsCount }));
}

const append = ({ words, distance }: Text, added: Pick<NearWord, 'word' | 'distance'>): Text => ({
  words: [...words, added.word],
  distance: distance + added.distance,
});

async function withoutEvents(words: string[], { count }: Search): Promise<string[]> {
  const counts = await Promise.all(words.map(count));
  return words.filter((_, i) => counts[i] === 0);
}

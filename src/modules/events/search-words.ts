/** Full-text search literals: tsvector for events, tsquery for searches. Potluck parses words itself, not PostgreSQL. */
import { words } from '../../lib/text.ts';

/**
 * The texts of an event that are searched, the weights of their words, and their positions in a tsvector: a weight needs one, and
 * no query depends on the order of words. The first release numbered the words from 1 on, so these positions, the highest of
 * PostgreSQL, are free in its vectors: of two equal positions of a word, PostgreSQL would keep one weight.
 */
const searchedTexts = {
  title: { weight: 'A', position: 16_381 },
  address: { weight: 'B', position: 16_382 },
  description: { weight: 'C', position: 16_383 },
} as const;

export type SearchedTexts = Record<keyof typeof searchedTexts, string>;
const names = Object.keys(searchedTexts) as (keyof SearchedTexts)[];

/** Longer words are rarely compounds. The limit keeps the vector of a text of 10,000 letters below the 1 MB of PostgreSQL. */
const maxCompoundLength = 12;

/**
 * A word, and its rest from each Korean syllable on: Korean compounds such as 서울여름축제 are written without spaces, and a search
 * matches the starts of words. The migration 0011 adds the same rests to the events of earlier releases.
 */
const withInnerStarts = (word: string): string[] =>
  word.length > maxCompoundLength
    ? [word]
    : [word, ...[...word.matchAll(/(?!^)[가-힣]/g)].map(({ index }) => word.slice(index))];

/** A tsvector literal of the words of texts. Lexemes need no escaping. */
export function searchVector(texts: Partial<SearchedTexts>): string {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const { weight, position } = searchedTexts[name];
    for (const word of new Set(words(texts[name] ?? '').flatMap(withInnerStarts)))
      found.getOrInsertComputed(word, () => []).push(`${position}${weight}`);
  }
  return [...found].map(([word, list]) => `'${word}':${list.join(',')}`).join(' ');
}

/**
 * What a change of an event adds to its tsvector: the words of the texts that differ. `kept`: the weights of the other texts.
 * @returns null if no text differs
 */
export function searchChange(
  before: SearchedTexts,
  after: SearchedTexts,
): { kept: string[]; added: string } | null {
  const { changed = [], kept = [] } = Object.groupBy(names, (name) =>
    before[name] === after[name] ? 'kept' : 'changed',
  );
  if (changed.length === 0) return null;
  const added = searchVector(Object.fromEntries(changed.map((name) => [name, after[name]])));
  return { kept: kept.map((name) => searchedTexts[name].weight), added };
}

/** The words of a search, and its tsquery literals. */
export type Search = {
  /** Folded and distinct. */
  words: string[];
  /**
   * Those that no other word starts with. An event that has them has all words, except as whole words: `jazz` finds a
   * subset of what `ja` finds. Without this, each start of a word would cost as much as the word.
   */
  starts: string[];
  /** Every word occurs in the event, as a word or as the start of a word. Decides which events match. */
  anywhere: string;
  /** The same for the longest words only. The index finds these; the other words are cheaper to check on the rows. */
  longest: string;
  /** The following literals decide the order: every word occurs in these fields. */
  inTitle: string;
  inTitleOrAddress: string;
  wholeInTitle: string;
};

/** Words that are looked up in the index. */
const maxIndexWords = 3;

/** The literals of a search text. A text without words gives empty literals, which match no event. */
export function searchQuery(q: string): Search {
  const distinct = [...new Set(words(q))];
  const starts = withoutStarts(distinct);
  const longest = starts.toSorted((a, b) => b.length - a.length).slice(0, maxIndexWords);
  const literal = (list: string[], kind: string) => list.map((word) => `'${word}'${kind}`).join(' & ');
  return {
    words: distinct,
    starts,
    anywhere: literal(starts, ':*'),
    longest: literal(starts.length > maxIndexWords ? longest : starts, ':*'),
    inTitle: literal(starts, ':*A'),
    inTitleOrAddress: literal(starts, ':*AB'),
    wholeInTitle: literal(distinct, ':A'),
  };
}

/** The words that are not the start of another one. */
function withoutStarts(distinct: string[]): string[] {
  // Words that start with another one follow it.
  const sorted = distinct.toSorted();
  const redundant = new Set(sorted.filter((word, i) => sorted[i + 1]?.startsWith(word)));
  return distinct.filter((word) => !redundant.has(word));
}

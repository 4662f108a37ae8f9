/** Which patterns find people by a term in `users.search`, with the trigrams of an index. */
import { searchKey, withPlainApostrophes } from '../../../lib/search-key.ts';
import { escapeLike, fold, isWithoutSpaces, words } from '../../../lib/text.ts';

/**
 * What is looked for: the text as it was typed, but for case, accents, the width of its spaces and the form of its
 * apostrophes.
 */
export const userSearchTerm = (q: string): string =>
  withPlainApostrophes(fold(q).trim().replace(/\s+/g, ' '));

/**
 * What `users.search` holds, with a space before each word: the name as it is written, so that "o'neil" finds
 * O'Neil, then its words without punctuation, so that "neil" does; the same of the username. Begins with the
 * name. The form is that of `searchKey`.
 */
export function userSearchText(name: string, username: string): string {
  const spellings = [name, username].flatMap((text) => {
    const term = userSearchTerm(text);
    return [term, words(term).join(' ')];
  });
  return searchKey(` ${[...new Set(spellings)].join(' ')}`);
}

/** A sequence of characters of which the index has trigrams: letters, digits, and what is beyond ASCII. */
const runs = /[a-z0-9\u0080-\u{10ffff}]+/gu;

/** Whether the run identifies people also inside of words. Languages without spaces have words of two characters. */
const isLong = (run: string): boolean => {
  const { length } = [...run];
  return length > 2 || (length > 1 && isWithoutSpaces(run));
};

/** Patterns of LIKE for `users.search`. */
export type UserPatterns = {
  /**
   * Of the longest runs of the term, each alone, repeated if there are fewer than three: nearly all people whom the
   * index finds by their trigrams match them, so a LIMIT of their matches limits the rows that are read. A whole phrase
   * can have trigrams that many people have, of whom none has the phrase.
   */
  runs: [string, string, string];
  /** Of the whole term. */
  term: string;
};

/** The patterns of people who have a word that starts with the term; null if the term has no letter or digit. */
export function startPatterns(term: string): UserPatterns | null {
  const found = [...term.matchAll(runs)];
  const before = found[0]?.index === 0 ? '% ' : '%';
  return patternsOf(
    found.map(([run]) => `% ${run}%`),
    `${before}${escapeLike(term)}%`,
  );
}

/** The patterns of people who have the term anywhere; null if the term is too short for that. */
export function anywherePatterns(term: string): UserPatterns | null {
  const found = [...term.matchAll(runs)];
  if (!found.some(([run]) => isLong(run))) return null;
  // Before a run inside of the term, there is punctuation, so that it begins one of the words of `users.search`.
  const patterns = found.flatMap(({ 0: run, index }) =>
    isLong(run) ? `%${run}%` : index > 0 && /^\w+$/.test(run) ? `% ${run}%` : [],
  );
  return patternsOf(patterns, `%${escapeLike(term)}%`);
}

function patternsOf(patterns: string[], term: string): UserPatterns | null {
  const [first, second = first, third = first] = patterns.map(searchKey).sort((a, b) => b.length - a.length);
  return first && second && third ? { runs: [first, second, third], term: searchKey(term) } : null;
}

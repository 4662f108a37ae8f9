/** Full-text search literals: tsvector for events, tsquery for searches. Potluck parses words itself, not PostgreSQL. */
import { words } from '../../lib/text.ts';

/** Limits of a PostgreSQL tsvector: the highest position, and the positions of one lexeme. */
const maxPosition = 16_383;
const maxPositions = 255;

/** A tsvector literal with weight A for the title, B for the address and C for the description. Lexemes need no escaping. */
export function searchVector(event: { title: string; address: string; description: string }): string {
  const positions = new Map<string, string[]>();
  let position = 1;
  for (const [text, weight] of [
    [event.title, 'A'],
    [event.address, 'B'],
    [event.description, 'C'],
  ] as const) {
    for (const word of words(text)) {
      const list = positions.get(word) ?? [];
      if (list.length < maxPositions) list.push(`${Math.min(position++, maxPosition)}${weight}`);
      positions.set(word, list);
    }
  }
  return [...positions].map(([word, list]) => `'${word}':${list.join(',')}`).join(' ');
}

/** The words of a search, and its tsquery literals. */
export type Search = {
  /** Folded and distinct. */
  words: string[];
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
  const longest = distinct.toSorted((a, b) => b.length - a.length).slice(0, maxIndexWords);
  const literal = (list: string[], kind: string) => list.map((word) => `'${word}'${kind}`).join(' & ');
  return {
    words: distinct,
    anywhere: literal(distinct, ':*'),
    longest: literal(distinct.length > maxIndexWords ? longest : distinct, ':*'),
    inTitle: literal(distinct, ':*A'),
    inTitleOrAddress: literal(distinct, ':*AB'),
    wholeInTitle: literal(distinct, ':A'),
  };
}

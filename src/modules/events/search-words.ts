/** Events as documents of words, and searches as queries over them; PostgreSQL's own parser is left out of both. */
import { words } from '../../lib/text.ts';

/** What PostgreSQL can hold in one tsvector. */
const maxPosition = 16_383;
const maxPlaces = 255;

/** A tsvector literal with title as weight A, address B and description C. Its lexemes need no escaping. */
export function searchVector(event: { title: string; address: string; description: string }): string {
  const places = new Map<string, string[]>();
  let position = 1;
  for (const [text, weight] of [
    [event.title, 'A'],
    [event.address, 'B'],
    [event.description, 'C'],
  ] as const) {
    for (const word of words(text)) {
      const list = places.get(word) ?? [];
      if (list.length < maxPlaces) list.push(`${Math.min(position++, maxPosition)}${weight}`);
      places.set(word, list);
    }
  }
  return [...places].map(([word, list]) => `'${word}':${list.join(',')}`).join(' ');
}

/** The tsquery literals of one search; but for `longest`, every word must be there. */
export type Search = {
  /** Anywhere, as a word or as the start of one: this decides what is found. */
  anywhere: string;
  /** The same with the longest words alone: what else must be there is cheaper to check than to look up. */
  longest: string;
  /** These decide what comes first. */
  inTitle: string;
  inTitleOrAddress: string;
  wholeInTitle: string;
};

const maxLookedUp = 3;

/** A text without a single word gives empty literals, which find nothing. */
export function searchQuery(q: string): Search {
  const eventQuery = [...new Set(words(q))];
  const longest = eventQuery.toSorted((a, b) => b.length - a.length).slice(0, maxLookedUp);
  const literal = (list: string[], kind: string) => list.map((word) => `'${word}'${kind}`).join(' & ');
  return {
    anywhere: literal(eventQuery, ':*'),
    longest: literal(eventQuery.length > maxLookedUp ? longest : eventQuery, ':*'),
    inTitle: literal(eventQuery, ':*A'),
    inTitleOrAddress: literal(eventQuery, ':*AB'),
    wholeInTitle: literal(eventQuery, ':A'),
  };
}

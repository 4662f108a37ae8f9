/** Bitmaps of the starts of words with many postings, which would take long to unite for each query. */
import { bitmapLength, findWord, prefixRange, type Range } from '#record-index';
import { fieldsOfGrades, type SegmentData, unitePostings, type WordBitmaps } from './segment.ts';

/** Many postings are more than one for this many documents, and more than so many. */
const [docsPerPosting, manyPostings] = [32, 2_000];

/** `texts`: the words of the dictionary. */
type Words = Pick<SegmentData, 'words' | 'postingOffsets' | 'postingDocs' | 'postingFields'> & {
  texts: string[];
};
/** The words from `first` to before `end` begin with `start`. */
type Start = Range & { start: string };

/** @param maxBytes the memory for bitmaps; the starts with the most postings get them */
export function buildFrequent(size: number, words: Words, maxBytes: number): Map<string, WordBitmaps> {
  const chosen = listFrequent(words, Math.max(size / docsPerPosting, manyPostings))
    .sort((a, b) => countPostings(words, b) - countPostings(words, a))
    .slice(0, Math.floor(maxBytes / (4 * 4 * bitmapLength(size))));
  return new Map(
    chosen.map((range) => {
      const whole = findWord(words.words, range, Buffer.from(range.start));
      const bitmaps = fieldsOfGrades.map((fields) => {
        const bits = new Uint32Array(bitmapLength(size));
        unitePostings(words, { ...range, whole }, fields, { first: 0, end: size }, null, bits);
        return [fields, bits];
      });
      return [range.start, Object.fromEntries(bitmaps) as WordBitmaps];
    }),
  );
}

const countPostings = ({ postingOffsets }: Pick<Words, 'postingOffsets'>, { first, end }: Range): number =>
  (postingOffsets[end] as number) - (postingOffsets[first] as number);

/**
 * Lists the starts of words, and words, with more than `min` postings. They may have any length: strangers can begin all of
 * their words with the same letters.
 */
function listFrequent(words: Words, min: number): Start[] {
  const { texts, words: dictionary } = words;
  const found: Start[] = [];
  const visit = (range: Range, length: number): void => {
    for (let i = range.first; i < range.end; ) {
      const text = texts[i] as string;
      const character = text.codePointAt(length);
      if (character === undefined) {
        // The word that the others of the range begin with.
        i++;
        continue;
      }
      const start = text.slice(0, length + String.fromCodePoint(character).length);
      const next = prefixRange(dictionary, Buffer.from(start));
      if (countPostings(words, next) > min) {
        found.push({ start, ...next });
        visit(next, start.length);
      }
      i = next.end;
    }
  };
  visit({ first: 0, end: texts.length }, 0);
  return found;
}

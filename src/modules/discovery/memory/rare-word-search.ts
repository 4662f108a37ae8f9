/** Finds the documents that match a query with a rare word: from the postings of this word, which are few. */
import { hasBit } from '../../../lib/bitmap.ts';
import type { ListQuery } from '../event-query.ts';
import { createTest } from '../filters.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { DocumentView } from './document-view.ts';
import { bitmapsOf, fieldsOfGrades, gradeCount, type SearchedWord } from './searched-words.ts';
import { inAddress, inTitle, type Segment, type SegmentData, type WordBitmaps } from './segment.ts';

/** A word is rare if it has at most one posting for this many documents, or very few. */
const [docsPerPosting, fewPostings] = [128, 16];

/** The word with the fewest postings, if it is rare. */
export function findRareWord(segment: Segment, words: SearchedWord[]): SearchedWord | null {
  const rarest = words.reduce((a, b) => (b.postingCount < a.postingCount ? b : a));
  return rarest.postingCount <= Math.max(segment.data.size / docsPerPosting, fewPostings) ? rarest : null;
}

/** @returns the documents of each grade, the best first, ascending */
export function searchRareWord(
  segment: Segment,
  query: ListQuery,
  words: SearchedWord[],
  rare: SearchedWord,
  pool: BitmapPool,
): number[][] {
  const grades: number[][] = Array.from({ length: gradeCount }, () => []);
  const isIncluded = createTest(query, (id) => segment.organizerPlace(id));
  const document = new DocumentView(segment, query.from);
  const others = bitmapsOf(
    segment.data,
    words.filter((word) => word !== rare),
    pool,
  );
  for (const match of listMatches(segment.data, rare)) {
    const doc = docOf(match);
    if (!haveAll(others, 'anywhere', doc)) continue;
    if (hasBit(segment.removed, doc) || !isIncluded(document.moveTo(doc))) continue;
    let grade = gradeOf(match);
    while (!haveAll(others, fieldsOfGrades[grade] ?? 'anywhere', doc)) grade++;
    grades[grade]?.push(doc);
  }
  return grades;
}

/** Whether all words are in some fields of a document. */
function haveAll(words: WordBitmaps[], fields: keyof WordBitmaps, doc: number): boolean {
  for (const bitmaps of words) if (!hasBit(bitmaps[fields], doc)) return false;
  return true;
}

/** A match is a document and, in the lowest bits, the fields of the word, or `inTitle` and this bit. */
const wholeInTitle = 8;
const bitsOfFields = 4;
const docOf = (match: number): number => Math.floor(match / 2 ** bitsOfFields);

/** The position of a grade in `fieldsOfGrades`. */
function gradeOf(match: number): number {
  if (match & wholeInTitle) return 0;
  if (match & inTitle) return 1;
  return match & inAddress ? 2 : 3;
}

/** The documents of a word and of the longer words, ascending, each once, with the fields of all of them. */
function listMatches(data: SegmentData, { first, end, whole, postingCount }: SearchedWord): Float64Array {
  const { postingOffsets, postingDocs, postingFields } = data;
  const matches = new Float64Array(postingCount);
  let count = 0;
  for (let word = first; word < end; word++) {
    const stop = postingOffsets[word + 1] as number;
    for (let i = postingOffsets[word] as number; i < stop; i++) {
      const fields = postingFields[i] as number;
      const bits = word === whole && fields & inTitle ? fields | wholeInTitle : fields;
      matches[count++] = (postingDocs[i] as number) * 2 ** bitsOfFields + bits;
    }
  }
  if (end - first < 2) return matches;
  matches.sort();
  let last = 0;
  for (const match of matches.subarray(1)) {
    const isSame = docOf(match) === docOf(matches[last] as number);
    // The numbers differ in the lowest bits only, which fit into 32 bits.
    if (isSame) matches[last] = docOf(match) * 2 ** bitsOfFields + fieldsIn(match, matches[last] as number);
    else matches[++last] = match;
  }
  return matches.subarray(0, last + 1);
}

const fieldsIn = (a: number, b: number): number => (a % 2 ** bitsOfFields) | (b % 2 ** bitsOfFields);

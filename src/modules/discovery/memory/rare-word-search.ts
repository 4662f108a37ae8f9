/** Finds the documents that match a query with a rare word: from the postings of this word, which are few. */
import { hasBit } from '../../../lib/bitmap.ts';
import type { ListQuery } from '../event-query.ts';
import { createTest } from '../filters.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { DocumentView } from './document-view.ts';
import { bitmapsOf, fieldsOfGrades, gradeCount, gradeOf, type SearchedWord } from './searched-words.ts';
import { inTitle, type Segment, type SegmentData, type WordBitmaps, wholeInTitle } from './segment.ts';

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

/** A match is a document and, in the lowest bits, the fields of the word. 28 bits are enough for the documents that fit into the memory of a server. */
const bitsOfFields = 4;
const docOf = (match: number): number => match >>> bitsOfFields;

/** The documents of a word and of the longer words, ascending, each once, with the fields of all of them. */
function listMatches(data: SegmentData, { first, end, whole, postingCount }: SearchedWord): Uint32Array {
  const { postingOffsets, postingDocs, postingFields } = data;
  const matches = new Uint32Array(postingCount);
  let count = 0;
  for (let word = first; word < end; word++) {
    const stop = postingOffsets[word + 1] as number;
    for (let i = postingOffsets[word] as number; i < stop; i++) {
      const fields = postingFields[i] as number;
      const bits = word === whole && fields & inTitle ? fields | wholeInTitle : fields;
      matches[count++] = ((postingDocs[i] as number) << bitsOfFields) | bits;
    }
  }
  if (end - first < 2) return matches;
  matches.sort();
  let last = 0;
  for (const match of matches.subarray(1)) {
    const before = matches[last] as number;
    if (docOf(match) === docOf(before)) matches[last] = before | match;
    else matches[++last] = match;
  }
  return matches.subarray(0, last + 1);
}

/** Finds the documents that match a query with a rare word: from the postings of this word, which are few. */
import { hasBit } from '../../../lib/bitmap.ts';
import type { BitmapPool } from './bitmap-pool.ts';
import { createBoxTest } from './box-filter.ts';
import { createCircleTest } from './circle-filter.ts';
import { gradeCount, type IndexQuery } from './index-query.ts';
import { bitmapsOf, fieldsOfGrades, type SearchedWord } from './searched-words.ts';
import { inAddress, inTitle, type Segment, type SegmentData } from './segment.ts';

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
  query: IndexQuery,
  words: SearchedWord[],
  rare: SearchedWord,
  pool: BitmapPool,
): number[][] {
  const grades: number[][] = Array.from({ length: gradeCount }, () => []);
  const isIncluded = createTest(segment, query);
  const others = bitmapsOf(
    segment.data,
    words.filter((word) => word !== rare),
    pool,
  );
  for (const match of listMatches(segment.data, rare)) {
    const doc = docOf(match);
    if (!isIncluded(doc) || !others.every(({ anywhere }) => hasBit(anywhere, doc))) continue;
    let grade = gradeOf(match);
    const isInGrade = () =>
      others.every((bitmaps) => hasBit(bitmaps[fieldsOfGrades[grade] ?? 'anywhere'], doc));
    while (!isInGrade()) grade++;
    grades[grade]?.push(doc);
  }
  return grades;
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

/** Creates the test of all filters but the words. It reads as few columns as it can: most documents are not in a CPU cache. */
function createTest(
  segment: Segment,
  { from, since, until, category, circle, box, isFree, hiddenOrganizers }: IndexQuery,
): (doc: number) => boolean {
  const { data, removed } = segment;
  // All documents from `begun` on start after `from`, so they end after it.
  const begun = from === null ? 0 : segment.startingAfter(from);
  const first = segment.startingAt(since);
  const end = until === null ? data.size : segment.startingAfter(until);
  const wanted = category === null ? null : data.categoryNames.indexOf(category);
  const isInside = circle && createCircleTest(data, circle);
  const isInBox = box && createBoxTest(data, box);
  const hidden = new Set(hiddenOrganizers.map((id) => segment.organizerPlace(id)));
  return (doc) =>
    doc >= first &&
    doc < end &&
    (doc >= begun || from === null || segment.endsAfter(doc, from)) &&
    (wanted === null || data.categories[doc] === wanted) &&
    (!isFree || hasBit(data.free, doc)) &&
    !hasBit(removed, doc) &&
    (hidden.size === 0 || !hidden.has(data.organizerOfDoc[doc] as number)) &&
    (isInside === null || isInside(data.cellPlaces[doc] as number)) &&
    (isInBox === null || isInBox(data.cellPlaces[doc] as number));
}

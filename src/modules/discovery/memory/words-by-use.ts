/** The order in which words are compared with a mistyped one. */
import type { SegmentData } from './segment.ts';

type Columns = 'postingOffsets' | 'postingDocs' | 'organizers' | 'organizerOfDoc';

/** Above these, more organizers and more documents make no difference. */
const [maxOrganizers, maxDocs] = [2 ** 10 - 1, 2 ** 11 - 1];

/** The positions of the words, those of most organizers first, then those of most documents. */
export function sortByUse({
  postingOffsets,
  postingDocs,
  organizers,
  organizerOfDoc,
}: Pick<SegmentData, Columns>): Uint32Array {
  /** By organizer: the last word that is counted for them, plus 1. */
  const counted = new Uint32Array(organizers.length / 16);
  const organizersOf = (word: number): number => {
    const end = postingOffsets[word + 1] as number;
    let count = 0;
    for (let i = postingOffsets[word] as number; i < end && count < maxOrganizers; i++) {
      const organizer = organizerOfDoc[postingDocs[i] as number] as number;
      if (counted[organizer] === word + 1) continue;
      counted[organizer] = word + 1;
      count++;
    }
    return count;
  };
  // Keys of 53 bits, because numbers are sorted fast without a function that compares them.
  const keys = Float64Array.from({ length: postingOffsets.length - 1 }, (_, word) => {
    const docs = Math.min((postingOffsets[word + 1] as number) - (postingOffsets[word] as number), maxDocs);
    return ((maxOrganizers - organizersOf(word)) * (maxDocs + 1) + (maxDocs - docs)) * 2 ** 32 + word;
  }).sort();
  return Uint32Array.from(keys, (key) => key % 2 ** 32);
}

/**
 * Finds the words of the index near a mistyped one. Signatures of all words are scanned, which takes some nanoseconds for
 * each word; the few words that may be near are compared letter by letter. The words of most organizers come first:
 * a person who writes very many words displaces only words that few people use.
 */

import { mayBeNear, signatureOf, wordAt } from '#record-index';
import { type Effort, type FoundWord, maxEditsOf, type NearWord, selectNear } from '../suggest/near-words.ts';
import type { Overlay } from './overlay.ts';
import type { SegmentData } from './segment.ts';

/** Lists the words near `word`, the nearest first; some of them may have no listed event any more. */
export function listNearWords(data: SegmentData, overlay: Overlay, word: string, effort: Effort): NearWord[] {
  if (maxEditsOf(word) === 0) return [];
  return selectNear(word, [...listOfSegment(data, word, effort), ...listOfOverlay(overlay, word, effort)]);
}

function listOfSegment(data: SegmentData, word: string, { visits, comparisons }: Effort): FoundWord[] {
  const { signatures, wordsByUse, postingOffsets, words } = data;
  const [max, signature] = [maxEditsOf(word), signatureOf(word)];
  const found: FoundWord[] = [];
  const end = Math.min(signatures.length, visits);
  for (let i = 0; i < end && found.length < comparisons; i++) {
    if (!mayBeNear(signatures[i] as number, signature, max)) continue;
    const at = wordsByUse[i] as number;
    const frequency = (postingOffsets[at + 1] as number) - (postingOffsets[at] as number);
    found.push({ word: wordAt(words, at), frequency });
  }
  return found;
}

function listOfOverlay({ events }: Overlay, word: string, { visits, comparisons }: Effort): FoundWord[] {
  const [max, signature] = [maxEditsOf(word), signatureOf(word)];
  const found = new Map<string, number>();
  let left = visits;
  for (const { words, newWords, signatures } of events) {
    left -= 1 + signatures.length;
    if (left < 0) break;
    for (let i = 0; i < signatures.length && found.size < comparisons; i++) {
      if (!mayBeNear(signatures[i] as number, signature, max)) continue;
      const text = wordAt(words, newWords[i] as number);
      found.set(text, (found.get(text) ?? 0) + 1);
    }
  }
  return [...found].map(([word, frequency]) => ({ word, frequency }));
}

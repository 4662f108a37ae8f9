/**
 * Finds the words of the index near a mistyped one. Signatures of all words are scanned, which takes some nanoseconds for
 * each word; the few words that may be near are compared letter by letter.
 */

import { wordAt } from '../../../lib/dictionary.ts';
import { mayBeNear, signatureOf } from '../../../lib/edit-distance.ts';
import { type FoundWord, maxEditsOf, type NearWord, selectNear } from '../suggest/near-words.ts';
import type { Overlay } from './overlay.ts';
import type { SegmentData } from './segment.ts';

/** Words that are compared at most, so that texts of similar words cannot occupy the thread. */
const maxCompared = 5_000;

/** Lists the words near `word`, the nearest first; some of them may have no listed event any more. */
export function listNearWords(data: SegmentData, overlay: Overlay, word: string): NearWord[] {
  const max = maxEditsOf(word);
  if (max === 0) return [];
  const signature = signatureOf(word);
  const { signatures, postingOffsets, words } = data;
  const found: FoundWord[] = [];
  for (let i = 0; i < signatures.length && found.length < maxCompared; i++) {
    if (!mayBeNear(signatures[i] as number, signature, max)) continue;
    const frequency = (postingOffsets[i + 1] as number) - (postingOffsets[i] as number);
    found.push({ word: wordAt(words, i), frequency });
  }
  const added = new Map<string, number>();
  for (const { words, signatures } of overlay.events) {
    for (let i = 0; i < signatures.length && added.size < maxCompared; i++) {
      const other = signatures[i] as number;
      if (other === 0 || !mayBeNear(other, signature, max)) continue;
      const text = wordAt(words, i);
      added.set(text, (added.get(text) ?? 0) + 1);
    }
  }
  for (const [text, frequency] of added) found.push({ word: text, frequency });
  return selectNear(word, found);
}

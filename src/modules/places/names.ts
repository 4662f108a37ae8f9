/** The forms of place names that are compared. */
import { fold } from '../../lib/text.ts';

/** Removes case, accents and punctuation: "L'Haÿ-les-Roses" → "lhay les roses". */
export const normalizeName = (name: string): string =>
  fold(name)
    .replace(/['’ʼ`´.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const transliterations: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa', æ: 'ae' };

/** Returns the spelling without umlauts, such as "zuerich"; null for a name that has none. */
export const transliterate = (name: string): string | null =>
  /[äöüøåæ]/i.test(name)
    ? name.toLowerCase().replace(/[äöüøåæ]/g, (letter) => transliterations[letter] ?? letter)
    : null;

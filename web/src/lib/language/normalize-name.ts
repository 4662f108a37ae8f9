import { withoutAccents } from '#lib/language/compare.ts';

/** A name without case, accents and punctuation, to compare it with others: "L'Haÿ-les-Roses" → "lhay les roses". */
export const normalizeName = (name: string): string =>
  withoutAccents(name)
    .replace(/['’ʼ`´.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** A name without case, accents and punctuation, to compare it with others: "L'Haÿ-les-Roses" → "lhay les roses". */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/['’ʼ`´.]/g, '')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

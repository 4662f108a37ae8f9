/** Unicode normalization of texts that users send. The only caller of `String.prototype.normalize`. */

/**
 * A run of combining marks. Its first 30 marks are the group. The two half-width marks of Japanese (U+FF9E, U+FF9F) belong to runs
 * because NFKC and NFKD make combining marks of them.
 */
const markRun = /([\p{M}\uff9e\uff9f]{1,30})[\p{M}\uff9e\uff9f]*/gu;

/**
 * Normalizes a text without the marks that follow the 30th of a run, in linear time. Unicode sorts the marks of a run, which takes
 * quadratic time: seconds for 10,000 marks. No language has longer runs (UAX 15, Stream-Safe Text Format).
 */
export const normalize = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replace(markRun, '$1').normalize(form);

/** Text made comparable: what search stores and what it looks for go through the same two functions. */

/** Letters that Unicode does not take apart into a base letter and a mark. */
const plain: Record<string, string> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  ħ: 'h',
  ŧ: 't',
  ς: 'σ',
};

/** Accents; what picks one look of a character, as after ❤️; rings and squares round it, as in 1️⃣; soft hyphens. */
const ornaments = /[\u0300-\u036f\ufe00-\ufe0f\u20dd-\u20e4\u00ad]/g;

/** Without case and accents: "Łódź Straße" → "lodz strasse". */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(ornaments, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ßøłđðþæœıħŧς]/g, (letter) => plain[letter] ?? letter);
}

/** Scripts that put no spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
const longestWord = 60;

/** The folded words of a text, in order; a word is letters and digits with their marks, at most 60 characters. */
export function words(text: string): string[] {
  const folded = fold(text);
  const found = folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return found
    .flatMap((run) =>
      unspaced.test(run)
        ? [...segmenter.segment(run)].filter((s) => s.isWordLike).map((s) => s.segment)
        : [run],
    )
    .map((word) => [...word].slice(0, longestWord).join(''));
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** True for what a person sees as one character, such as 🏳️‍🌈. */
export function isOneGrapheme(text: string): boolean {
  const [first, second] = graphemes.segment(text);
  return first !== undefined && second === undefined;
}

/** NUL cannot be stored in PostgreSQL, and a lone surrogate would silently become U+FFFD. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** For `like`: the text matches itself alone. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** What leads up to the first visible character cannot be that character, so a match takes linear time. */
const visibleLine = /^[\p{Z}\p{Cf}\p{Cs}\p{Co}\p{Cn}]*[^\p{Z}\p{C}]\P{Cc}*$/u;
const visible = /[^\p{Z}\p{C}]/u;

/** One line without control characters, with at least one visible character. */
export const isVisibleLine = (text: string): boolean => visibleLine.test(text);

/** Any number of lines, with at least one visible character. */
export const isVisibleText = (text: string): boolean => visible.test(text);

/** Text: normalization for search, validation and shortening. */

/** Letters that Unicode does not decompose into a base letter and a mark. */
const baseLetters: Record<string, string> = {
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

/** Accents, variation selectors (as in ❤️), enclosing marks (as in 1️⃣) and soft hyphens. */
const marks = /[\u0300-\u036f\ufe00-\ufe0f\u20dd-\u20e4\u00ad]/g;

/**
 * Removes case and accents: "Łódź Straße" → "lodz strasse". Search applies it to stored texts and to queries.
 */
export function fold(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[ßøłđðþæœıħŧς]/g, (letter) => baseLetters[letter] ?? letter);
}

/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const wordSegmenter = new Intl.Segmenter('und', { granularity: 'word' });
const maxWordLength = 60;

/**
 * Returns the folded words of a text in order. A word consists of letters and digits with their marks, and is
 * cut to 60 characters.
 */
export function words(text: string): string[] {
  const folded = fold(text);
  const found = folded.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];
  return found
    .flatMap((run) =>
      unspaced.test(run)
        ? [...wordSegmenter.segment(run)].filter((s) => s.isWordLike).map((s) => s.segment)
        : [run],
    )
    .map((word) => [...word].slice(0, maxWordLength).join(''));
}

const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Returns true for a single user-perceived character, such as 🏳️‍🌈. */
export function isOneGrapheme(text: string): boolean {
  const [first, second] = graphemeSegmenter.segment(text);
  return first !== undefined && second === undefined;
}

/**
 * Returns true if PostgreSQL can store the text: no NUL, and no lone surrogate, which would become U+FFFD.
 */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Escapes the wildcards of a `like` pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/**
 * Shortens a text to at most `maxLength` code points. The last one is `…` if the text is cut.
 */
export function shorten(text: string, maxLength: number): string {
  // A text has at least as many UTF-16 code units as code points.
  if (text.length <= maxLength) return text;
  const characters = [...text];
  if (characters.length <= maxLength) return text;
  const start = characters.slice(0, maxLength - 1).join('');
  return `${start.trimEnd()}…`;
}

/** The characters before the first visible one cannot match the visible class: matching takes linear time. */
const visibleLine = /^[\p{Z}\p{Cf}\p{Cs}\p{Co}\p{Cn}]*[^\p{Z}\p{C}]\P{Cc}*$/u;
const visible = /[^\p{Z}\p{C}]/u;

/** Returns true for one line without control characters and with at least one visible character. */
export const isVisibleLine = (text: string): boolean => visibleLine.test(text);

/** Returns true for any number of lines with at least one visible character. */
export const isVisibleText = (text: string): boolean => visible.test(text);

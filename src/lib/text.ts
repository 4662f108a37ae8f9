/** Text: normalization for search, validation and shortening. */
import { normalize } from './user-texts/normalize.ts';

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

/** Most names and words are, and the rules of Unicode do not change them. */
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

/**
 * Removes case and accents: "Łódź Straße" → "lodz strasse". Search applies it to stored texts and to queries.
 */
export function fold(text: string): string {
  if (isAscii(text)) return text.toLowerCase();
  const letters = normalize(text.toLowerCase(), 'NFKD').replace(marks, '');
  return normalize(letters, 'NFKC')
    .toLowerCase()
    .replace(/[ßøłđðþæœıħŧς]/g, (letter) => baseLetters[letter] ?? letter);
}

/** Scripts without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const withoutSpaces = new RegExp(`^(?:${unspaced.source}|\\p{Script=Hangul})+$`, 'u');
/** Whether all letters are of scripts whose words are found inside of other words: of one without spaces, or Korean. */
export const isWithoutSpaces = (text: string): boolean => withoutSpaces.test(text);
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
    .map((word) => (word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join('')));
}

const graphemeSegmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Returns true for a single user-perceived character, such as 🏳️‍🌈. */
export function isOneGrapheme(text: string): boolean {
  const [first, second] = graphemeSegmenter.segment(text);
  return first !== undefined && second === undefined;
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

/**
 * A visible character: neither a separator nor other, and none that fonts show as nothing, such as the fillers of Hangul
 * (default-ignorable) and the empty pattern of Braille.
 */
const shown = '[^\\p{Z}\\p{C}\\p{DI}\\u2800]';
const visible = new RegExp(shown, 'u');
/** The characters before the first visible one cannot match the visible class: matching takes linear time. */
const visibleLine = new RegExp(
  `^[\\p{Zs}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{DI}\\u2800]*${shown}[^\\p{Cc}\\p{Zl}\\p{Zp}]*$`,
  'u',
);

/** Returns true for one line without control characters and with at least one visible character. */
export const isVisibleLine = (text: string): boolean => visibleLine.test(text);

/** Returns true for any number of lines with at least one visible character. */
export const isVisibleText = (text: string): boolean => visible.test(text);

/**
 * Removes the embeddings, overrides and isolates of the bidirectional algorithm, which reorder the text around a title.
 * Marks of direction (U+200E, U+200F, U+061C) stay: texts of mixed directions need them, and they affect their place only.
 */
export const withoutBidiControls = (text: string): string =>
  text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '');

/** The scripts whose spelling has joiners. Between other letters, a joiner is invisible. */
const joining =
  '\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Nkoo}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}' +
  '\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}';
/** A joiner between two letters or marks of such a script, or at the end of a word after a mark (UAX 31, 2.3). */
const joiner = new RegExp(
  `(?<=[${joining}])[\\u200c\\u200d](?=[${joining}])|(?<=(?=\\p{M})[${joining}])\\u200d(?!\\p{Cf})`,
  'gu',
);
/** Letters and symbols that fonts show as nothing. */
const blank = /[\u034f\u115f\u1160\u2800\u3164\uffa0]/;
/** Whether all format characters are joiners and tags of emoji, or joiners of scripts, and no letter is blank. */
const isPlain = (text: string): boolean => !blank.test(text) && hasPlainFormat(text);
const hasPlainFormat = (text: string): boolean =>
  !/\p{Cf}/u.test(text) || !/\p{Cf}/u.test(text.replace(/\p{RGI_Emoji}/gv, ' ').replace(joiner, ''));

/** The longest name of a person, in characters. */
export const maxPersonName = 80;

/**
 * Returns true for a visible line that contains no format characters (Cf) and no blank letters, which are invisible and let a name look like
 * another one, except where the spelling of a script and emoji need them.
 */
export const isPersonName = (text: string): boolean => isVisibleLine(text) && isPlain(text);

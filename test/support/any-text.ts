/**
 * Texts for random tests. `fc.string` with the unit `binary` or `grapheme` makes a table of a million characters first,
 * which takes a second and memory that every later garbage collection visits.
 */
import fc from 'fast-check';

type Length = { minLength?: number; maxLength?: number };

const [firstSurrogate, surrogates] = [0xd800, 0x800];

/** Any character but a surrogate. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x10ffff - surrogates }))
  .map((code) => String.fromCodePoint(code < firstSurrogate ? code : code + surrogates));

/** What a reader sees as one character: at most three characters, none of them a space or invisible. */
const visibleCharacter: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'a',
    'é',
    'o\u0308',
    'ß',
    'Ω',
    'Я',
    'ش',
    'नि',
    'ก็',
    '각',
    '\u1112\u1161\u11ab',
    '五',
    '🇸🇪',
    '👍🏽',
    '🎉',
  ),
  fc.integer({ min: 0x21, max: 0x2fff }).map(visibleOf),
  fc.integer({ min: 0x3400, max: 0xd7a3 }).map(visibleOf),
  fc.integer({ min: 0x1_0000, max: 0x3_134a }).map(visibleOf),
);

function visibleOf(code: number): string {
  const character = String.fromCodePoint(code);
  return /[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}]/u.test(character) ? '_' : character;
}

export const anyText = (length: Length = {}): fc.Arbitrary<string> =>
  fc.string({ unit: anyCharacter, ...length });

export const anyVisibleText = (length: Length = {}): fc.Arbitrary<string> =>
  fc.string({ unit: visibleCharacter, ...length });

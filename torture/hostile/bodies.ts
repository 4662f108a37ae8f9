/**
 * Hostile bodies: malformed, deeply nested and oversized JSON, and values that lower layers may mishandle.
 */

const mebibyte = 2 ** 20;
const nestingDepth = 100_000;

const malformedJson = [
  '{',
  '{"a":1',
  '[',
  'nul',
  '{"a":1}}',
  "{'a':1}",
  '{a:1}',
  '{"a":01}',
  '{"a":1e}',
  '{"a":NaN}',
  '\u0000',
  '{"a":"\u0001"}',
];

/** Every route that accepts a body must refuse each of these. */
export function brokenBodies(example: Record<string, unknown>): (string | Buffer)[] {
  const [first = 'x'] = Object.keys(example);
  const withField = (name: string, json: string) =>
    `{${JSON.stringify(name)}:${json},${JSON.stringify(example).slice(1)}`;
  /** Of two fields with one name, the last counts. */
  const withValue = (json: string) =>
    `${JSON.stringify(example).slice(0, -1)},${JSON.stringify(first)}:${json}}`;
  return [
    ...malformedJson,
    ...['null', '[]', '"x"', '1', 'true', '[{}]', ' '],
    Buffer.from(JSON.stringify(example), 'utf16le'),
    Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('"}')]),
    '['.repeat(nestingDepth) + ']'.repeat(nestingDepth),
    withField('x', '['.repeat(nestingDepth) + ']'.repeat(nestingDepth)),
    withField('x', `${'{"a":'.repeat(nestingDepth)}1${'}'.repeat(nestingDepth)}`),
    withValue(`${'{"a":'.repeat(nestingDepth)}1${'}'.repeat(nestingDepth)}`),
    ...['__proto__', 'constructor', 'prototype', 'toString', '', 'a\u0000', '$ref'].map((name) =>
      withField(name, '{"isAdmin":true,"role":"admin"}'),
    ),
    ...[
      '"\\u0000abc"',
      '"\\ud800abc"',
      '"abc\\udc00"',
      '"\\udc00\\ud800"',
      '1e400',
      '-1e400',
      '2147483648',
      '9223372036854775808',
      '-0.5',
      '{}',
      '[]',
      '[[["x"]]]',
      `"${'x'.repeat(20_000)}"`,
    ].map(withValue),
    `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    padded(JSON.stringify(example), mebibyte + 1),
    padded('{"x":1', mebibyte - 1),
  ];
}

/** Pads to the length with trailing spaces, which JSON ignores. */
export const padded = (json: string, length: number): string => json.padEnd(length, ' ');

/** The maximum size of a body, and one byte less. */
export const maxBodySizes = [mebibyte, mebibyte - 1];

/** Valid texts that the API must store and return unchanged, except for controls of the direction in a line. */
export const unusualTexts = [
  '100 % _ sure \\ \\\\ %_% \\% \\_',
  "'; drop table events; --",
  '" or ""="',
  '$1 $$ {} #{x} {{x}} <%= x %>',
  "a & b | !c <-> d:* (e) ' : \\",
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  '\u202eright to left\u202c \u2066x\u2069',
  'zero\u200bwidth\u200djoiner\ufeff',
  `Z${'\u0300\u0489\u0336'.repeat(30)}algo`,
  'e\u0301 is not \u00e9, \u212b is not \u00c5, \ufb01 is not fi',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f3f3}\ufe0f\u200d\u{1f308} \u{e0067}\u{10ffff}\u{1fffe}',
  'İıſß ǅ ΑΣ ﷺ 漢字 カタカナ ไทย',
  '=cmd|/c calc!A1 @SUM(1) +1 -1',
  '../../etc/passwd %2e%2e %00 %0d%0a',
  '__proto__ constructor null undefined NaN true',
  '1e400 9223372036854775808 -0 0x1F',
];

/** Search queries with operators and wildcards of SQL and of full-text search. */
export const unusualQueries = [
  '%',
  '_',
  '\\',
  '%%',
  '__',
  '\\\\',
  '%a',
  'a_',
  "''",
  "'",
  '"',
  ':*',
  'a:*',
  '!',
  '!a',
  '&',
  '|',
  'a &',
  '(',
  ')',
  '((',
  'a <->',
  '<2>',
  ':A',
  'a:ABCD',
  '*',
  'a*',
  '-a',
  '"a',
  'or',
  'and not',
  '\\x',
  '[',
  '{',
  '$1',
  '\u200b',
  '\u0301',
  '\u202e',
  '🥘',
  'a\u0301',
  'x'.repeat(200),
  ' '.repeat(200),
  'a '.repeat(100),
  '\t\n',
  '%00'.repeat(3),
];

/** What is hostile in a body: JSON that is none, that is too deep or too long, and values that other layers trip over. */

const mebibyte = 2 ** 20;
const deep = 100_000;

const noJson = [
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

/** Every one of these must be refused on every route that takes a body. */
export function brokenBodies(example: Record<string, unknown>): (string | Buffer)[] {
  const [first = 'x'] = Object.keys(example);
  const withField = (name: string, json: string) =>
    `{${JSON.stringify(name)}:${json},${JSON.stringify(example).slice(1)}`;
  /** The last of two fields of one name is the one that counts. */
  const withValue = (json: string) =>
    `${JSON.stringify(example).slice(0, -1)},${JSON.stringify(first)}:${json}}`;
  return [
    ...noJson,
    ...['null', '[]', '"x"', '1', 'true', '[{}]', ' '],
    Buffer.from(JSON.stringify(example), 'utf16le'),
    Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff, 0xfe, 0xc0, 0x80]), Buffer.from('"}')]),
    '['.repeat(deep) + ']'.repeat(deep),
    withField('x', '['.repeat(deep) + ']'.repeat(deep)),
    withField('x', `${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`),
    withValue(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`),
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

/** As long as it says, with blanks at the end, which mean nothing in JSON. */
export const padded = (json: string, length: number): string => json.padEnd(length, ' ');

/** Bodies of the largest size that is allowed, and a byte less. */
export const largest = [mebibyte, mebibyte - 1];

/** Texts that can be stored, and must come back as they are. */
export const strangeTexts = [
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

/** What searches may stumble over beyond that. */
export const strangeQueries = [
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

/** The rule for visible text, compared with the Unicode properties that define it. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { codePoints } from '../../test/support/all-cases.ts';
import { seenPattern, text, visiblePattern } from './schemas.ts';
import { createBodyValidator } from './validation.ts';

const isShown = /[^\p{Z}\p{C}\p{DI}\u2800]/u;

/** Code points, alone and between other characters. */
function* samples(): Generator<string> {
  for (const code of codePoints()) {
    const character = String.fromCodePoint(code);
    yield character;
    yield ` ${character}`;
    if (code < 0x3100) yield* [`${character}a`, `a${character}`, `\u200b${character} `];
  }
}

test('text: one line with a visible character, as defined by Unicode, for every code point', () => {
  const validate = createBodyValidator().compile(text(1, 100));
  const rule = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
  for (const sample of samples())
    if (validate(sample) !== (rule.test(sample) && isShown.test(sample))) assert.fail(JSON.stringify(sample));
});

test('text: an empty text is valid without a minimum length, a control character or line break never', () => {
  const validate = createBodyValidator().compile(text(0, 100));
  for (const sample of samples())
    if (validate(sample) !== /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u.test(sample)) assert.fail(JSON.stringify(sample));
});

test('text: the patterns in OpenAPI match every accepted text, also without the u flag', () => {
  const [line, prose] = [new RegExp(visiblePattern), new RegExp(seenPattern)];
  for (const sample of samples()) {
    if (/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u.test(sample) && isShown.test(sample) && !line.test(sample))
      assert.fail(JSON.stringify(sample));
    if (isShown.test(sample) && !prose.test(sample)) assert.fail(JSON.stringify(sample));
  }
});

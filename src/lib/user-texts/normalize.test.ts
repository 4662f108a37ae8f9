import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { codePoints } from '../../../test/support/all-cases.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { normalize } from './normalize.ts';

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const;
const marks = ['\u0301', '\u0323', '\u0f73', '\u05b0', '\uff9e', '\uff9f', '\u{1d165}', '\u094d'];

/** The texts that reach `String.prototype.normalize` during a call. */
function normalizedDuring(t: test.TestContext, call: () => unknown): string[] {
  const { mock } = t.mock.method(String.prototype, 'normalize');
  call();
  const texts = mock.calls.map((each) => String(each.this));
  mock.restore();
  return texts;
}

test('normalize: at most 30 marks of a run reach the normalization of Unicode', (t) => {
  const long = (length: number) => Array.from({ length }, (_, i) => marks[i % marks.length]).join('');
  for (const form of forms) {
    const texts = normalizedDuring(t, () => normalize(`a${long(10_000)}b${long(31)}c${long(30)}`, form));
    assert.deepEqual(texts, [`a${long(30)}b${long(30)}c${long(30)}`]);
  }
});

test('normalize: equal to the normalization of Unicode where no run has more than 30 marks', () => {
  const character = fc.oneof(anyText({ maxLength: 1 }), fc.constantFrom(...marks));
  const text = fc.array(character, { maxLength: 30 }).map((characters) => characters.join(''));
  fc.assert(
    fc.property(text, fc.constantFrom(...forms), (text, form) => {
      assert.equal(normalize(text, form), text.normalize(form));
    }),
    { numRuns: 300 },
  );
});

test('normalize: no text becomes a longer run of marks, whichever characters it repeats', () => {
  const longest = (text: string) => Math.max(...(text.match(/\p{M}*/gu) ?? []).map((run) => [...run].length));
  for (const code of codePoints()) {
    const character = String.fromCodePoint(code);
    if (/[\p{M}\p{Cs}]/u.test(character) || character.normalize('NFKD') === character) continue;
    const run = longest(normalize(character.repeat(40), 'NFKD'));
    assert.ok(run <= 30, `${code.toString(16)} becomes a run of ${run}`);
  }
  // A mark consists of three marks at most.
  for (const mark of marks) assert.ok(longest(normalize(mark.repeat(1_000), 'NFKD')) <= 90);
});

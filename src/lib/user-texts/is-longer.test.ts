import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { isLonger } from './is-longer.ts';

test('isLonger: counts characters as an array of them does, of any text, with lone surrogates', () => {
  const unit = fc.oneof(fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00', '\u{10ffff}'), anyText());
  const text = fc.array(unit, { maxLength: 20 }).map((units) => units.join(''));
  fc.assert(
    fc.property(text, fc.nat({ max: 30 }), (each, limit) => {
      assert.equal(isLonger(each, limit), [...each].length > limit);
    }),
  );
});

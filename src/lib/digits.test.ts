import assert from 'node:assert/strict';
import test from 'node:test';
import { toAsciiDigits } from './digits.ts';

test('digits: those of all numbering systems are those of ASCII', () => {
  const systems = Intl.supportedValuesOf('numberingSystem').filter((name) => name !== 'hanidec');
  assert.ok(systems.length > 60);
  for (const system of systems) {
    const format = new Intl.NumberFormat('en', { numberingSystem: system, useGrouping: false });
    assert.equal(toAsciiDigits(format.format(9_876_543_210)), '9876543210', system);
  }
});

test('digits: every decimal digit of Unicode becomes one of ASCII, and each tenth one a zero', () => {
  let run = '';
  for (let code = 0x100; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/\p{Nd}/u.test(character)) run += toAsciiDigits(character);
    else if (run !== '') {
      assert.match(run, /^(0123456789)+$/, code.toString(16));
      run = '';
    }
  }
});

test('digits: other characters stay', () => {
  assert.equal(toAsciiDigits('+46 (0)70-½ Ⅷ 二 ²'), '+46 (0)70-½ Ⅷ 二 ²');
});

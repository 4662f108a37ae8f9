import assert from 'node:assert/strict';
import test from 'node:test';
import { escapeLike, fold, isOneGrapheme, isStorable, words } from './text.ts';

test('fold: case, accents and letters that Unicode keeps whole fall away', () => {
  assert.equal(fold('Łódź STRASSE Straße Ærø İzmir ﬁn'), 'lodz strasse strasse aero izmir fin');
  assert.equal(fold('Ångström'), fold('ångström'));
  assert.equal(fold('ΟΔΟΣ'), fold('οδοσ'));
  assert.equal(fold('❤️ 1️⃣ Pot\u00adluck'), '❤ 1 potluck');
});

test('words: punctuation separates, marks stay, unspaced scripts are cut into words', () => {
  assert.deepEqual(words("Rock'n'Roll — Node.js, 2026!"), ['rock', 'n', 'roll', 'node', 'js', '2026']);
  assert.ok(words('東京で花見').length > 1);
  assert.deepEqual(words('\'":*&|!()<->'), []);
  assert.deepEqual(words('❤️ 🏳️‍🌈 \u0301'), []);
  assert.equal(words('a'.repeat(500))[0]?.length, 60);
});

test('isOneGrapheme: a flag or a family is one, two letters or nothing are not', () => {
  for (const one of ['🎂', '🏳️‍🌈', '👨‍👩‍👧', 'é', '🇩🇪']) assert.ok(isOneGrapheme(one), one);
  for (const other of ['', 'ab', '🎂🎂']) assert.ok(!isOneGrapheme(other), other);
});

test('isStorable: neither NUL nor half a surrogate pair', () => {
  assert.ok(isStorable('🎂'));
  assert.ok(!isStorable('a\0b'));
  assert.ok(!isStorable('\ud83c'));
});

test('escapeLike: wildcards lose their meaning', () => {
  assert.equal(escapeLike('50%_\\'), '50\\%\\_\\\\');
});

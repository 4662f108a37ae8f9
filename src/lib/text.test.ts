import assert from 'node:assert/strict';
import test from 'node:test';
import { escapeLike, fold, isOneGrapheme, shorten, words } from './text.ts';

test('fold: removes case and accents, and replaces letters that Unicode does not decompose', () => {
  assert.equal(fold('Łódź STRASSE Straße Ærø İzmir ﬁn'), 'lodz strasse strasse aero izmir fin');
  assert.equal(fold('Ångström'), fold('ångström'));
  assert.equal(fold('ΟΔΟΣ'), fold('οδοσ'));
  assert.equal(fold('❤️ 1️⃣ Pot\u00adluck'), '❤ 1 potluck');
});

test('words: punctuation separates words, marks are retained, unspaced scripts are segmented', () => {
  assert.deepEqual(words("Rock'n'Roll — Node.js, 2026!"), ['rock', 'n', 'roll', 'node', 'js', '2026']);
  assert.ok(words('東京で花見').length > 1);
  assert.deepEqual(words('\'":*&|!()<->'), []);
  assert.deepEqual(words('❤️ 🏳️‍🌈 \u0301'), []);
  assert.equal(words('a'.repeat(500))[0]?.length, 60);
});

test('isOneGrapheme: true for a flag or a family, false for two letters and for an empty text', () => {
  for (const one of ['🎂', '🏳️‍🌈', '👨‍👩‍👧', 'é', '🇩🇪']) assert.ok(isOneGrapheme(one), one);
  for (const other of ['', 'ab', '🎂🎂']) assert.ok(!isOneGrapheme(other), other);
});

test('escapeLike: escapes wildcards and backslashes', () => {
  assert.equal(escapeLike('50%_\\'), '50\\%\\_\\\\');
});

test('shorten: at most the given number of code points, with an ellipsis if the text is cut', () => {
  assert.equal(shorten('potluck', 7), 'potluck');
  assert.equal(shorten('potluck', 6), 'potlu…');
  assert.equal(shorten('pot luck', 5), 'pot…');
  assert.equal(shorten('🎂🎂🎂', 3), '🎂🎂🎂');
  assert.equal(shorten('🎂🎂🎂', 2), '🎂…');
});

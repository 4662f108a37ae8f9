import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { searchQuery, searchVector } from './search-words.ts';

const vector = (title: string, address = '', description = '') =>
  searchVector({ title, address, description });

test('searchVector: words in order, with the weights of their fields', () => {
  assert.equal(
    vector('Jazz & Jam', 'Kölner Straße 5', 'jazz!'),
    "'jazz':1A,6C 'jam':2A 'kolner':3B 'strasse':4B '5':5B",
  );
  assert.equal(vector('', '', ''), '');
});

test('searchVector: at most 255 positions per word and at most 16,383 positions, the limits of PostgreSQL', () => {
  const [, positions = ''] = vector('spam', '', 'spam '.repeat(2_000)).split(':');
  assert.equal(positions.split(',').length, 255);
  assert.ok(positions.startsWith('1A,2C'));
  const many = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ');
  assert.ok(vector('', '', many).endsWith("'w19999':16383C"));
});

test('searchQuery: each distinct word once, as a prefix match', () => {
  assert.deepEqual(searchQuery('Jazz, jazz PIANO'), {
    words: ['jazz', 'piano'],
    anywhere: "'jazz':* & 'piano':*",
    longest: "'jazz':* & 'piano':*",
    inTitle: "'jazz':*A & 'piano':*A",
    inTitleOrAddress: "'jazz':*AB & 'piano':*AB",
    wholeInTitle: "'jazz':A & 'piano':A",
  });
});

test('searchQuery: `longest` contains the three longest words', () => {
  const { anywhere, longest } = searchQuery('a bbb cc dddd eeeee');
  assert.equal(anywhere, "'a':* & 'bbb':* & 'cc':* & 'dddd':* & 'eeeee':*");
  assert.equal(longest, "'eeeee':* & 'dddd':* & 'bbb':*");
});

test('searchQuery: a text without words gives empty literals', () => {
  for (const q of ['', '  ', '&|!()', "'", '\\', ':*', '❤️']) assert.equal(searchQuery(q).anywhere, '', q);
});

test('literals: no text gives characters that need escaping', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.match(vector(text), /^('[\p{L}\p{N}\p{M}]+':[\dA,]+( |$))*$/u);
      assert.match(searchQuery(text).anywhere, /^('[\p{L}\p{N}\p{M}]+':\*( & |$))*$/u);
    }),
    { numRuns: 500 },
  );
});

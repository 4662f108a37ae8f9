import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { searchQuery, searchVector } from './search-words.ts';

const vector = (title: string, address = '', description = '') =>
  searchVector({ title, address, description });

test('searchVector: words in order, with the weight of where they stand', () => {
  assert.equal(
    vector('Jazz & Jam', 'Kölner Straße 5', 'jazz!'),
    "'jazz':1A,6C 'jam':2A 'kolner':3B 'strasse':4B '5':5B",
  );
  assert.equal(vector('', '', ''), '');
});

test('searchVector: no more places than PostgreSQL holds, the first ones', () => {
  const [, places = ''] = vector('spam', '', 'spam '.repeat(2_000)).split(':');
  assert.equal(places.split(',').length, 255);
  assert.ok(places.startsWith('1A,2C'));
  const many = Array.from({ length: 20_000 }, (_, i) => `w${i}`).join(' ');
  assert.ok(vector('', '', many).endsWith("'w19999':16383C"));
});

test('searchQuery: every word, as the start of one, each once', () => {
  assert.deepEqual(searchQuery('Jazz, jazz PIANO'), {
    anywhere: "'jazz':* & 'piano':*",
    longest: "'jazz':* & 'piano':*",
    inTitle: "'jazz':*A & 'piano':*A",
    inTitleOrAddress: "'jazz':*AB & 'piano':*AB",
    wholeInTitle: "'jazz':A & 'piano':A",
  });
});

test('searchQuery: of many words the three longest are looked up', () => {
  const { anywhere, longest } = searchQuery('a bbb cc dddd eeeee');
  assert.equal(anywhere, "'a':* & 'bbb':* & 'cc':* & 'dddd':* & 'eeeee':*");
  assert.equal(longest, "'eeeee':* & 'dddd':* & 'bbb':*");
});

test('searchQuery: a text without words gives empty literals', () => {
  for (const q of ['', '  ', '&|!()', "'", '\\', ':*', '❤️']) assert.equal(searchQuery(q).anywhere, '', q);
});

test('literals: whatever the text, nothing in them needs escaping', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.match(vector(text), /^('[\p{L}\p{N}\p{M}]+':[\dA,]+( |$))*$/u);
      assert.match(searchQuery(text).anywhere, /^('[\p{L}\p{N}\p{M}]+':\*( & |$))*$/u);
    }),
    { numRuns: 500 },
  );
});

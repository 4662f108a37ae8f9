import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { searchChange, searchQuery, searchVector } from './search-words.ts';

const vector = (title: string, address = '', description = '') =>
  searchVector({ title, address, description });

test('searchVector: each word once, with the weights of its fields', () => {
  assert.equal(
    vector('Jazz & Jam', 'Kölner Straße 5', 'jazz! Jazz!'),
    "'jazz':16381A,16383C 'jam':16381A 'kolner':16382B 'strasse':16382B '5':16382B",
  );
  assert.equal(vector('', '', ''), '');
});

test('searchChange: the words of the texts that differ, and the weights of the others', () => {
  const before = { title: 'Jazz', address: 'Oslo', description: 'Bring a chair' };
  assert.equal(searchChange(before, { ...before }), null);
  assert.deepEqual(searchChange(before, { ...before, title: 'Jam' }), {
    kept: ['B', 'C'],
    added: "'jam':16381A",
  });
  assert.deepEqual(searchChange(before, { title: '', address: '', description: '' }), {
    kept: [],
    added: '',
  });
});

test('searchQuery: each distinct word once, as a prefix match', () => {
  assert.deepEqual(searchQuery('Jazz, jazz PIANO'), {
    words: ['jazz', 'piano'],
    starts: ['jazz', 'piano'],
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

test('searchQuery: a word that another one starts with is searched as a whole word only', () => {
  const { words, starts, anywhere, inTitle, wholeInTitle } = searchQuery('pia p jazz piano jazzy pian');
  assert.deepEqual(words, ['pia', 'p', 'jazz', 'piano', 'jazzy', 'pian']);
  assert.deepEqual(starts, ['piano', 'jazzy']);
  assert.equal(anywhere, "'piano':* & 'jazzy':*");
  assert.equal(inTitle, "'piano':*A & 'jazzy':*A");
  assert.equal(wholeInTitle, "'pia':A & 'p':A & 'jazz':A & 'piano':A & 'jazzy':A & 'pian':A");
});

test('searchQuery: a text without words gives empty literals', () => {
  for (const q of ['', '  ', '&|!()', "'", '\\', ':*', '❤️']) assert.equal(searchQuery(q).anywhere, '', q);
});

test('literals: no text gives characters that need escaping', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      assert.match(vector(text), /^('[\p{L}\p{N}\p{M}]+':[\dA,]+( |$))*$/u);
      assert.match(searchQuery(text).anywhere, /^('[\p{L}\p{N}\p{M}]+':\*( & |$))*$/u);
    }),
    { numRuns: 500 },
  );
});

/** How pages compare names and searches. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sortedByName, withoutAccents } from '../../web/src/lib/language/compare.ts';

test('compare: a text without accents and capitals', () => {
  assert.equal(withoutAccents('Crème BRÛLÉE ﬁn １２'), 'creme brulee fin 12');
  assert.equal(withoutAccents('a\u0301'), withoutAccents('Á'));
  assert.equal(withoutAccents(`a${'\u0301\u0323'.repeat(5_000)}b`), 'ab');
});

test('compare: rows by their names, those of equal names in the given order', () => {
  const rows = ['Örjan', 'mara', 'Åsa', 'Mara', 'E\u0301va', 'Éva', 'Zoe'].map((name, place) => ({
    name,
    place,
  }));
  const sorted = sortedByName(rows, ({ name }) => name);
  const names = sorted.map(({ name }) => name);
  assert.deepEqual(names, ['Åsa', 'E\u0301va', 'Éva', 'mara', 'Mara', 'Örjan', 'Zoe']);
});

test('compare: names with long runs of combining marks reach the comparison normalized', (t) => {
  const { mock } = t.mock.method(String.prototype, 'localeCompare');
  const marks = (first: string, second: string) => `a${(first + second).repeat(40)}`;
  sortedByName([marks('\u0301', '\u0323'), marks('\u0323', '\u0301'), 'b'], (name) => name);
  const names = mock.calls.flatMap((each) => [String(each.this), String(each.arguments[0])]);
  mock.restore();
  assert.ok(names.length > 0);
  for (const name of names) {
    assert.equal(name, name.normalize('NFC'));
    assert.ok(!/\p{M}{31}/u.test(name));
  }
});

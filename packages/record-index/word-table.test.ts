import assert from 'node:assert/strict';
import test from 'node:test';
import { WordTable } from './word-table.ts';

test('numberOf numbers words in the order of their first appearance', () => {
  const table = new WordTable();
  const words = Array.from({ length: 5_000 }, (_, i) => ['', 'öl', '爵', 'a'][i % 4] + i.toString(36));
  const text = words.join(' ');
  for (let round = 0; round < 2; round++) {
    for (let i = 0, begin = 0; i < words.length; i++) {
      const end = begin + (words[i] as string).length;
      assert.equal(table.numberOf(text, begin, end), i);
      begin = end + 1;
    }
  }
  assert.deepEqual(table.words, words);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { listCorrections } from './corrections.ts';
import { type Effort, effortForEach } from './near-words.ts';

test('corrections: at most nine texts are counted, however many words are wrong and near', async () => {
  for (let wrong = 1; wrong <= 5; wrong++) {
    const counted = new Set<string>();
    const searched = Array.from({ length: wrong }, (_, i) => `wrong${i}`);
    const found = await listCorrections([...searched, 'right'], {
      count: async (q) => {
        if (q.includes(' ')) counted.add(q);
        return q.startsWith('wrong') ? 0 : 1;
      },
      nearWords: async (word) =>
        Array.from({ length: 20 }, (_, i) => ({ word: `near${i}${word}`, distance: 1, frequency: 1 })),
    });
    assert.ok(counted.size >= 1 && counted.size <= 9, `${wrong}: ${counted.size}`);
    assert.ok(found.length >= 1 && found.length <= 3);
    assert.ok(found.every(({ q }) => q.endsWith(' right')));
  }
});

test('corrections: the wrong words of a search share one effort', async () => {
  for (const wrong of [1, 2, 10]) {
    const efforts: Effort[] = [];
    await listCorrections(
      Array.from({ length: wrong }, (_, i) => `wrong${i}`),
      {
        count: async () => 0,
        nearWords: async (_, effort) => {
          efforts.push(effort);
          return [];
        },
      },
    );
    assert.equal(efforts.length, wrong);
    for (const kind of ['visits', 'comparisons', 'listed'] as const) {
      const total = efforts.reduce((sum, effort) => sum + effort[kind], 0);
      assert.ok(total > 0 && total <= effortForEach(1)[kind], `${wrong}: ${total} ${kind}`);
    }
  }
});

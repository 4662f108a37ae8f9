import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Problem } from '../lib/errors.ts';
import { createLoader, createWriteBatcher, RETRY_INDIVIDUALLY } from './batching.ts';
import { ConnectionLostError } from './query.ts';

/** A statement whose batches are seen, and which answers when it is told to. */
function statement() {
  const batches: string[][] = [];
  const open: PromiseWithResolvers<void>[] = [];
  return {
    batches,
    async run(items: string[]): Promise<string[]> {
      batches.push(items);
      const gate = Promise.withResolvers<void>();
      open.push(gate);
      await gate.promise;
      return items.map((item) => item.toUpperCase());
    },
    async finish() {
      open.shift()?.resolve();
      await turn();
      await turn();
    },
  };
}
const itself = (item: string) => item;
const first = (item: string) => item.charAt(0);
const refusal = (error: unknown) => error instanceof Problem && error.code === 'unavailable';

test('reads: what arrives in one turn is one batch, what arrives while it runs is the next', async () => {
  const { batches, run, finish } = statement();
  const read = createLoader(run, { keyOf: itself, concurrency: 1 });
  const early = [read('a'), read('b')];
  await turn();
  const late = [read('c'), read('d')];
  await turn();
  assert.deepEqual(batches, [['a', 'b']]);
  await finish();
  assert.deepEqual(await Promise.all(early), ['A', 'B']);
  assert.deepEqual(batches, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await finish();
  assert.deepEqual(await Promise.all(late), ['C', 'D']);
});

test('reads: one key in one batch is read once; a read that is under way is too old for whoever comes later', async () => {
  const { batches, run, finish } = statement();
  const read = createLoader(run, { keyOf: itself, concurrency: 2 });
  const both = [read('a'), read('a')];
  await turn();
  const later = read('a');
  await turn();
  assert.deepEqual(batches, [['a'], ['a']]);
  await finish();
  await finish();
  assert.deepEqual(await Promise.all([...both, later]), ['A', 'A', 'A']);
});

test('reads: no batch is above its limit, and no more batches run at once than allowed', async () => {
  const { batches, run, finish } = statement();
  const read = createLoader(run, { keyOf: itself, concurrency: 2, maxBatchSize: 2 });
  const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(read));
  await turn();
  assert.deepEqual(batches, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await finish();
  assert.equal(batches.length, 3);
  await finish();
  await finish();
  assert.deepEqual(await all, ['A', 'B', 'C', 'D', 'E']);
});

test('reads: one item that makes the statement fail fails alone', async () => {
  const read = createLoader(
    async (items: string[]) => {
      if (items.includes('bad')) throw new Error('no such thing');
      return items;
    },
    { keyOf: itself },
  );
  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map(read));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('reads and writes: when the connection is lost everybody hears of it once, and nothing is run again', async () => {
  let runs = 0;
  const run = async (): Promise<string[]> => {
    runs++;
    throw new ConnectionLostError(new Error('gone'));
  };
  const read = createLoader(run, { keyOf: itself });
  const write = createWriteBatcher(run, { keyOf: itself });
  for (const ask of [read, write]) {
    runs = 0;
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(ask));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.equal(runs, 1);
  }
});

test('reads and writes: one more than may wait is refused, the others are answered', async () => {
  for (const coalesce of [createLoader, createWriteBatcher]) {
    const { run, finish } = statement();
    const ask = coalesce(run, { keyOf: itself, maxWaiting: 2 });
    const accepted = [ask('a'), ask('b')];
    await assert.rejects(ask('c'), refusal);
    await turn();
    await finish();
    assert.deepEqual(await Promise.all(accepted), ['A', 'B']);
  }
});

test('writes: one key is never twice in a batch, and keeps its order past others', async () => {
  const { batches, run, finish } = statement();
  const write = createWriteBatcher(run, { keyOf: first, maxBatchSize: 2 });
  const all = Promise.all(['a1', 'a2', 'b1', 'a3', 'c1'].map(write));
  await turn();
  for (let i = 0; i < 3; i++) await finish();
  assert.deepEqual(batches, [['a1', 'b1'], ['a2', 'c1'], ['a3']]);
  assert.deepEqual(await all, ['A1', 'A2', 'B1', 'A3', 'C1']);
});

test('writes: one batch at a time; what comes meanwhile is the next', async () => {
  const { batches, run, finish } = statement();
  const write = createWriteBatcher(run, { keyOf: itself });
  const all = [write('a')];
  await turn();
  all.push(write('b'), write('c'));
  await turn();
  assert.deepEqual(batches, [['a']]);
  await finish();
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
  await finish();
  assert.deepEqual(await Promise.all(all), ['A', 'B', 'C']);
});

test('writes: of many at once half go first, so that the other half is never waited for idly', async () => {
  const { batches, run, finish } = statement();
  const write = createWriteBatcher(run, { keyOf: itself });
  const all = Promise.all(Array.from({ length: 40 }, (_, i) => write(`w${i}`)));
  await turn();
  for (let i = 0; i < 3; i++) await finish();
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [20, 20],
  );
  assert.equal((await all).length, 40);
});

test('writes: each caller has their own value or refusal', async () => {
  const write = createWriteBatcher(
    async (items: string[]) =>
      items.map((item) => (item === 'bad' ? new Problem('blocked') : item.toUpperCase())),
    { keyOf: itself },
  );
  const [a, bad, b] = await Promise.allSettled(['a', 'bad', 'b'].map(write));
  assert.deepEqual(a, { status: 'fulfilled', value: 'A' });
  assert.deepEqual(b, { status: 'fulfilled', value: 'B' });
  assert.ok(bad?.status === 'rejected' && bad.reason instanceof Problem && bad.reason.code === 'blocked');
});

test('writes: when a batch fails each of it is run alone, and only the culprit hears of it', async () => {
  const batches: string[][] = [];
  const write = createWriteBatcher(
    async (items: string[]) => {
      batches.push(items);
      if (items.includes('bad')) throw new Error('refused');
      return items.map((item) => item.toUpperCase());
    },
    { keyOf: itself },
  );
  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map(write));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused')),
    ['A', 'refused', 'B'],
  );
  assert.deepEqual(batches, [['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
});

test('writes: what would hold up its batch is run alone; the others go on, but not with its key', async () => {
  const slow = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const write = createWriteBatcher<string, string>(
    async (items, mayWaitForLocks) => {
      batches.push(items);
      if (mayWaitForLocks && items[0] === 's1') await slow.promise;
      return items.map((item) =>
        item === 's1' && !mayWaitForLocks ? RETRY_INDIVIDUALLY : item.toUpperCase(),
      );
    },
    { keyOf: first },
  );
  const blocked = write('s1');
  assert.equal(await write('a1'), 'A1');
  const after = write('s2');
  assert.equal(await write('b1'), 'B1');
  assert.deepEqual(batches, [['s1', 'a1'], ['s1'], ['b1']]);
  slow.resolve();
  assert.deepEqual(await Promise.all([blocked, after]), ['S1', 'S2']);
});

test('writes: who comes on their own and would wait does not hold up the batches either; one at a time waits beside them', async () => {
  const slow = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const write = createWriteBatcher<string, string>(
    async (items, mayWaitForLocks) => {
      batches.push(items);
      if (mayWaitForLocks) await slow.promise;
      return items.map((item) =>
        item.startsWith('s') && !mayWaitForLocks ? RETRY_INDIVIDUALLY : item.toUpperCase(),
      );
    },
    { keyOf: itself },
  );
  const blocked = [write('s1')];
  await turn();
  blocked.push(write('s2'), write('s3'));
  await turn();
  assert.equal(await write('a1'), 'A1');
  assert.deepEqual(batches, [['s1'], ['s1'], ['s2', 's3'], ['a1']]);
  slow.resolve();
  assert.deepEqual(await Promise.all(blocked), ['S1', 'S2', 'S3']);
});

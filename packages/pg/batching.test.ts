import assert from 'node:assert/strict';
import test, { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '#base';
import { createLoader, createWriteBatcher } from './batching.ts';
import { RETRY_IN_NEXT_BATCH, RETRY_INDIVIDUALLY, RETRY_WITH_TARGET } from './run-batch.ts';
import { ConnectionLostError } from './run-statement.ts';

/** A statement that records its batches and resolves each one on `finish`. */
function createStatement() {
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
      await nextTurn();
      await nextTurn();
    },
  };
}
const itself = (item: string) => item;
const first = (item: string) => item.charAt(0);
/** Options of write batchers: each item has its own key, or items with the same first letter share one. */
const perItem = { keysOf: (item: string) => [item], senderOf: itself, targetOf: itself };
const perFirstLetter = { keysOf: (item: string) => [first(item)], senderOf: first, targetOf: first };
const refusal = (error: unknown) => error instanceof Unavailable;

test('reads: items of one turn are one batch; items that arrive while it runs are the next batch', async () => {
  const { batches, run, finish } = createStatement();
  const read = createLoader(run, { keyOf: itself, concurrency: 1 });
  const early = [read('a'), read('b')];
  await nextTurn();
  const late = [read('c'), read('d')];
  await nextTurn();
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

test('reads: equal keys in one batch are read once; a read that is running is not reused for later calls', async () => {
  const { batches, run, finish } = createStatement();
  const read = createLoader(run, { keyOf: itself, concurrency: 2 });
  const both = [read('a'), read('a')];
  await nextTurn();
  const later = read('a');
  await nextTurn();
  assert.deepEqual(batches, [['a'], ['a']]);
  await finish();
  await finish();
  assert.deepEqual(await Promise.all([...both, later]), ['A', 'A', 'A']);
});

test('reads: batches hold at most maxBatchSize items, and at most `concurrency` batches run at once', async () => {
  const { batches, run, finish } = createStatement();
  const read = createLoader(run, { keyOf: itself, concurrency: 2, maxBatchSize: 2 });
  const results = Promise.all(['a', 'b', 'c', 'd', 'e'].map(read));
  await nextTurn();
  assert.deepEqual(batches, [
    ['a', 'b'],
    ['c', 'd'],
  ]);
  await finish();
  assert.equal(batches.length, 3);
  await finish();
  await finish();
  assert.deepEqual(await results, ['A', 'B', 'C', 'D', 'E']);
});

test('reads: an item that makes the statement fail does not affect the other items', async () => {
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

test('reads and writes: a lost connection rejects every item of the batch, without a retry', async () => {
  let runs = 0;
  const run = async (): Promise<string[]> => {
    runs++;
    throw new ConnectionLostError(new Error('gone'));
  };
  const read = createLoader(run, { keyOf: itself });
  const write = createWriteBatcher(run, perItem);
  for (const send of [read, write]) {
    runs = 0;
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(send));
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    assert.equal(runs, 1);
  }
});

test('reads and writes: a batch without a response for 5 s is unavailable; reads may have a time limit of their own', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const never = () => new Promise<string[]>(() => {});
    const read = createLoader(never, { keyOf: itself });
    const readForLonger = createLoader(never, { keyOf: itself, timeoutMs: 60_000 });
    const write = createWriteBatcher(never, perItem);
    const outcomes: string[] = [];
    const note = (name: string) => (error: unknown) => void outcomes.push(`${name} ${refusal(error)}`);
    for (const [name, run] of Object.entries({ read, readForLonger, write })) run('a').catch(note(name));
    for (const ms of [4_900, 200, 54_700, 300]) {
      await nextTurn();
      mock.timers.tick(ms);
      await nextTurn();
      await nextTurn();
      outcomes.push(`${ms}`);
    }
    assert.deepEqual(outcomes, [
      '4900',
      'read true',
      'write true',
      '200',
      '54700',
      'readForLonger true',
      '300',
    ]);
  } finally {
    mock.timers.reset();
  }
});

test('reads and writes: an item above maxWaiting is rejected, the others succeed', async () => {
  for (const create of [createLoader<string, string>, createWriteBatcher<string, string>]) {
    const { run, finish } = createStatement();
    const send = create(run, { keyOf: itself, ...perItem, maxWaiting: 2 });
    const accepted = [send('a'), send('b')];
    await assert.rejects(send('c'), refusal);
    await nextTurn();
    await finish();
    assert.deepEqual(await Promise.all(accepted), ['A', 'B']);
  }
});

test('writes: a batch has each key at most once, and items of one key keep their order', async () => {
  const { batches, run, finish } = createStatement();
  const write = createWriteBatcher(run, { ...perFirstLetter, maxBatchSize: 2 });
  const results = Promise.all(['a1', 'a2', 'b1', 'a3', 'c1'].map(write));
  await nextTurn();
  for (let i = 0; i < 3; i++) await finish();
  assert.deepEqual(batches, [['a1', 'b1'], ['a2', 'c1'], ['a3']]);
  assert.deepEqual(await results, ['A1', 'A2', 'B1', 'A3', 'C1']);
});

test('writes: one batch at a time; items that arrive while it runs are the next batch', async () => {
  const { batches, run, finish } = createStatement();
  const write = createWriteBatcher(run, perItem);
  const results = [write('a')];
  await nextTurn();
  results.push(write('b'), write('c'));
  await nextTurn();
  assert.deepEqual(batches, [['a']]);
  await finish();
  assert.deepEqual(batches, [['a'], ['b', 'c']]);
  await finish();
  assert.deepEqual(await Promise.all(results), ['A', 'B', 'C']);
});

test('writes: half of a long queue is sent first, so that preparing the other half overlaps with its execution', async () => {
  const { batches, run, finish } = createStatement();
  const write = createWriteBatcher(run, perItem);
  const results = Promise.all(Array.from({ length: 40 }, (_, i) => write(`w${i}`)));
  await nextTurn();
  for (let i = 0; i < 3; i++) await finish();
  assert.deepEqual(
    batches.map((batch) => batch.length),
    [20, 20],
  );
  assert.equal((await results).length, 40);
});

test('writes: each call gets its own value or error', async () => {
  const write = createWriteBatcher(
    async (items: string[]) =>
      items.map((item) => (item === 'bad' ? new Error('blocked') : item.toUpperCase())),
    perItem,
  );
  const [a, bad, b] = await Promise.allSettled(['a', 'bad', 'b'].map(write));
  assert.deepEqual(a, { status: 'fulfilled', value: 'A' });
  assert.deepEqual(b, { status: 'fulfilled', value: 'B' });
  assert.ok(bad?.status === 'rejected' && bad.reason.message === 'blocked');
});

test('writes: the items of a failed batch are retried individually, and only the failing item is rejected', async () => {
  const batches: string[][] = [];
  const write = createWriteBatcher(async (items: string[]) => {
    batches.push(items);
    if (items.includes('bad')) throw new Error('refused');
    return items.map((item) => item.toUpperCase());
  }, perItem);
  const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map(write));
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'refused')),
    ['A', 'refused', 'B'],
  );
  assert.deepEqual(batches, [['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
});

test('writes: an item that would wait for a lock is retried individually; other keys continue, its own key waits', async () => {
  const slow = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const write = createWriteBatcher<string, string>(async (items, waits) => {
    batches.push(items);
    if (waits === 'all' && items[0] === 's1') await slow.promise;
    return items.map((item) => (item === 's1' && waits !== 'all' ? RETRY_INDIVIDUALLY : item.toUpperCase()));
  }, perFirstLetter);
  const blocked = write('s1');
  assert.equal(await write('a1'), 'A1');
  const after = write('s2');
  assert.equal(await write('b1'), 'B1');
  assert.deepEqual(batches, [['s1', 'a1'], ['s1'], ['b1']]);
  slow.resolve();
  assert.deepEqual(await Promise.all([blocked, after]), ['S1', 'S2']);
});

test('writes: items that would wait for a lock leave the batches and are retried one at a time', async () => {
  const slow = Promise.withResolvers<void>();
  const batches: string[][] = [];
  const write = createWriteBatcher<string, string>(async (items, waits) => {
    batches.push(items);
    if (waits === 'all') await slow.promise;
    return items.map((item) =>
      item.startsWith('s') && waits !== 'all' ? RETRY_INDIVIDUALLY : item.toUpperCase(),
    );
  }, perItem);
  const blocked = [write('s1')];
  await nextTurn();
  blocked.push(write('s2'), write('s3'));
  await nextTurn();
  assert.equal(await write('a1'), 'A1');
  assert.deepEqual(batches, [['s1'], ['s1'], ['s2', 's3'], ['a1']]);
  slow.resolve();
  assert.deepEqual(await Promise.all(blocked), ['S1', 'S2', 'S3']);
});

test('writes: items with a locked target wait for it together; an item that waits for another lock is then run alone', async () => {
  const unlocked = Promise.withResolvers<void>();
  const batches: string[] = [];
  const write = createWriteBatcher<string, string>(
    async (items, waits) => {
      batches.push(`${waits} ${items.join(' ')}`);
      if (waits === 'targets') await unlocked.promise;
      return items.map((item) => {
        if (item.startsWith('s') && waits === 'none') return RETRY_WITH_TARGET;
        return item === 's2' && waits !== 'all' ? RETRY_INDIVIDUALLY : item.toUpperCase();
      });
    },
    { ...perItem, targetOf: first, maxBatchSize: 3 },
  );
  const blocked = ['s0'].map(write);
  await nextTurn();
  blocked.push(...['s1', 's2', 's3', 's4'].map(write));
  assert.equal(await write('a1'), 'A1');
  unlocked.resolve();
  assert.deepEqual(await Promise.all(blocked), ['S0', 'S1', 'S2', 'S3', 'S4']);
  assert.deepEqual(batches, [
    'none s0',
    'targets s0',
    'none s1 s2 s3',
    'none s4 a1',
    'targets s1 s2 s3',
    'targets s4',
    'all s2',
  ]);
});

test('writes: items that share one of several keys never share a batch, and keep their order', async () => {
  const { batches, run, finish } = createStatement();
  const write = createWriteBatcher(run, {
    keysOf: (item: string) => [...item],
    senderOf: itself,
    targetOf: itself,
  });
  const results = Promise.all(['ab', 'bc', 'cd', 'ef'].map(write));
  await nextTurn();
  for (let i = 0; i < 3; i++) await finish();
  assert.deepEqual(batches, [['ab', 'ef'], ['bc'], ['cd']]);
  assert.deepEqual(await results, ['AB', 'BC', 'CD', 'EF']);
});

test('writes: senders take turns with individual retries; one sender waits for at most one retry of each other', async () => {
  const retried: string[] = [];
  const write = createWriteBatcher<string, string>(
    async (items, waits) => {
      if (waits !== 'all') return items.map(() => RETRY_INDIVIDUALLY);
      retried.push(...items);
      return items;
    },
    { ...perItem, senderOf: first },
  );
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'b1'].map(write));
  assert.deepEqual(retried, ['a1', 'b1', 'a2', 'a3', 'a4']);
});

test('writes: an item that leaves a batch for the next one comes first there; after three batches it is retried individually', async () => {
  const batches: string[][] = [];
  let lockedBatches = 0;
  const write = createWriteBatcher<string, string>(
    async (items, waits) => {
      batches.push(items);
      const isLocked = lockedBatches-- > 0 && waits !== 'all';
      return items.map((item) => (item === 'late' && isLocked ? RETRY_IN_NEXT_BATCH : item.toUpperCase()));
    },
    { ...perItem, maxBatchSize: 2 },
  );
  lockedBatches = 3;
  assert.deepEqual(await Promise.all(['late', 'a', 'b', 'c'].map(write)), ['LATE', 'A', 'B', 'C']);
  assert.deepEqual(batches, [['late', 'a'], ['late', 'b'], ['late', 'c'], ['late']]);
  batches.length = 0;
  lockedBatches = 1;
  assert.deepEqual(await Promise.all(['late', 'a', 'b'].map(write)), ['LATE', 'A', 'B']);
  assert.deepEqual(batches, [
    ['late', 'a'],
    ['late', 'b'],
  ]);
});

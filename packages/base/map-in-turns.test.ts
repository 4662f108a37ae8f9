import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapInTurns, runInTurn } from './map-in-turns.ts';

let clock = 0;

const useClock = ({ mock }: TestContext) => mock.method(performance, 'now', () => clock);

/** Work of this many ms, by the clock of the test. */
function work(ms: number): void {
  clock += ms;
}

/** The longest time that the event loop was occupied while `run` ran, in ms. */
async function longestTurn(run: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  let since = clock;
  void run().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await nextTurn();
    longest = Math.max(longest, clock - since);
    since = clock;
  }
  return longest;
}

test('turns: many long lists at once occupy the event loop no longer than one of them', async (t) => {
  useClock(t);
  const values = Array.from({ length: 30 }, (_, i) => i);
  const mapLists = (count: number) => () =>
    Promise.all(Array.from({ length: count }, () => mapInTurns(values, () => work(1))));
  const longest = await longestTurn(mapLists(1));
  assert.ok(longest < values.length);
  assert.equal(await longestTurn(mapLists(8)), longest);
});

test('turns: lists take turns, and keep the order of their values', async (t) => {
  useClock(t);
  const finished: string[] = [];
  const map = async (name: string, count: number) => {
    const values = Array.from({ length: count }, (_, i) => i);
    const mapped = await mapInTurns(values, (value) => {
      work(1);
      return value;
    });
    assert.deepEqual(mapped, values);
    finished.push(name);
  };
  await Promise.all([map('long', 60), map('short', 8), map('empty', 0)]);
  assert.deepEqual(finished, ['empty', 'short', 'long']);
});

test('turns: a failure ends its own work alone', async (t) => {
  useClock(t);
  const slow = () => mapInTurns([1, 2, 3], () => work(6));
  const failing = mapInTurns([1, 2, 3], (value) => {
    work(6);
    if (value === 2) throw new Error('no');
  });
  const all = await Promise.allSettled([slow(), failing, slow(), runInTurn(() => 'done')]);
  assert.deepEqual(
    all.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
});

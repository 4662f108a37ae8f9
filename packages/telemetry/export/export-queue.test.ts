/** The queue before a collector that is slow, down or refuses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ExportQueue, maxQueued } from './export-queue.ts';
import type { Outcome } from './post.ts';

const sent: Outcome = { lost: 0, reason: '' };

/** A queue with 512 items for each message, whose messages have the outcomes of the test. */
function createQueue(outcomeOf: () => Outcome | Promise<Outcome>) {
  const messages: number[][] = [];
  const lost: [number, string][] = [];
  const queue = new ExportQueue<number>(
    async (items) => {
      messages.push(items);
      return outcomeOf();
    },
    (count, reason) => lost.push([count, reason]),
  );
  const add = (count: number) => {
    for (let i = 0; i < count; i++) queue.add(i);
  };
  return { queue, messages, lost, add };
}

test('export queue: a full message is sent at once, one after the other, and the rest at the end', async () => {
  const { queue, messages, lost, add } = createQueue(() => sent);
  add(511);
  assert.equal(messages.length, 0);
  add(600);
  assert.equal(messages.length, 1);
  await queue.close(1_000);
  assert.deepEqual(
    messages.map(({ length }) => length),
    [512, 512, 87],
  );
  assert.deepEqual(lost, []);
});

test('export queue: while a collector does not respond, memory is bounded, and what finds no place is counted', async () => {
  const { queue, messages, lost, add } = createQueue(() => new Promise<never>(() => {}));
  add(maxQueued + 100);
  assert.equal(messages.length, 1);
  assert.equal(lost.length, 100);
  await queue.close(1);
  assert.deepEqual(lost.at(-1), [maxQueued, 'the server has ended']);
});

test('export queue: what a collector refuses for now is sent again, after a pause', async () => {
  const outcomes: Outcome[] = [{ lost: 0, reason: 'status 503', retryAfterMs: 0 }];
  const { queue, messages, lost, add } = createQueue(() => outcomes.shift() ?? sent);
  add(512);
  await nextTurn();
  assert.deepEqual([messages.length, lost], [1, [[0, 'status 503']]]);
  add(512);
  assert.equal(messages.length, 1);
  // The end does not wait for the pause.
  await queue.close(1_000);
  assert.deepEqual(
    messages.map(([first, , third]) => [first, third]),
    [
      [0, 2],
      [0, 2],
      [0, 2],
    ],
  );
  assert.equal(lost.length, 1);
});

test('export queue: what a collector refuses for good is lost, and the next message is sent', async () => {
  const outcomes: Outcome[] = [
    { lost: Number.POSITIVE_INFINITY, reason: 'status 400' },
    { lost: 3, reason: 'a part' },
  ];
  const { queue, messages, lost, add } = createQueue(() => outcomes.shift() ?? sent);
  add(1_500);
  await queue.close(1_000);
  assert.deepEqual(lost, [
    [512, 'status 400'],
    [3, 'a part'],
  ]);
  assert.equal(messages.flat().length, 1_500);
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FairQueue } from './fair-queue.ts';
import { Unavailable } from './waiting.ts';

const options = { concurrency: 1, maxWaiting: 100, maxWaitingPerClient: 10, timeoutMs: 1_000 };

test('fair queue: clients take turns, whatever the number of their tasks', async () => {
  const queue = new FairQueue(options);
  const order: string[] = [];
  const add = (client: string) => queue.run(client, async () => void order.push(client));
  await Promise.all(['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(add));
  assert.deepEqual(order.slice(0, 4).sort(), ['a', 'a', 'b', 'c'].sort());
});

test('fair queue: a client that comes while a task of another one runs is next', async () => {
  const queue = new FairQueue(options);
  const order: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const add = (client: string) => queue.run(client, async () => void order.push(client));
  // With a task of `a` waiting behind the one that runs, `a` was first in the order of the clients.
  const tasks = [queue.run('a', () => gate), add('a'), add('a'), add('b')];
  open();
  await Promise.all(tasks);
  assert.deepEqual(order, ['b', 'a', 'a']);
});

test('fair queue: clients that come again and again delay a waiting task once each', async () => {
  const queue = new FairQueue(options);
  const order: string[] = [];
  const tasks: Promise<void>[] = [];
  // Each task of `b` and `c` adds the next one while it runs.
  const add = (client: string, times: number) => {
    const task = async () => {
      order.push(client);
      if (times > 1) add(client, times - 1);
    };
    tasks.push(queue.run(client, task));
  };
  add('a', 1);
  for (const client of ['b', 'c']) add(client, 4);
  add('a', 1);
  add('a', 1);
  while (order.length < 11) await turn();
  await Promise.all(tasks);
  const ranks = order.flatMap((client, rank) => (client === 'a' ? [rank] : []));
  assert.ok(
    ranks.slice(1).every((rank, i) => rank - (ranks[i] ?? 0) <= 3),
    order.join(''),
  );
});

test('fair queue: no more tasks run at the same time than the concurrency', async () => {
  const queue = new FairQueue({ ...options, concurrency: 2 });
  let [running, most] = [0, 0];
  const task = async () => {
    most = Math.max(most, ++running);
    await turn();
    running--;
  };
  await Promise.all(Array.from({ length: 9 }, () => queue.run('a', task)));
  assert.equal(most, 2);
});

test('fair queue: unavailable above the number of waiting tasks of a client; other clients still wait', async () => {
  const queue = new FairQueue({ ...options, maxWaitingPerClient: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.run('a', () => promise);
  const waiting = [queue.run('a', async () => 1), queue.run('a', async () => 2)];
  await assert.rejects(
    queue.run('a', async () => 3),
    Unavailable,
  );
  const other = queue.run('b', async () => 4);
  resolve();
  await first;
  assert.deepEqual(await Promise.all([...waiting, other]), [1, 2, 4]);
});

test('fair queue: a task that waited too long is not run', async () => {
  const queue = new FairQueue({ ...options, timeoutMs: 5 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = queue.run('a', () => promise);
  // Rejected while the first task still runs.
  await assert.rejects(
    queue.run('a', () => assert.fail('run')),
    Unavailable,
  );
  const next = queue.run('a', async () => 1);
  resolve();
  await first;
  assert.equal(await next, 1);
});

test('fair queue: an error of a task reaches its caller, and the next task runs', async () => {
  const queue = new FairQueue(options);
  await assert.rejects(
    queue.run('a', () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await queue.run('a', async () => 1), 1);
});

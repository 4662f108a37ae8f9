import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { registerAdmission, runAsPageCall } from './admission.ts';
import { OutageLog } from './outage-log.ts';

/** `bytes`: of the body. */
type Request = { remoteAddress?: string; bytes?: number };

/** An app whose handlers run until the test ends them. `running`: the names of those that run, in order of their start. */
async function openApp(t: TestContext) {
  const app = fastify();
  registerAdmission(app, { outages: new OutageLog(app.log), hasTurns: true });
  const ends = new Map<string, () => void>();
  const starts = new Map<string, number>();
  const handler = async (request: { query: unknown }) => {
    const { name } = request.query as { name: string };
    starts.set(name, performance.now());
    await new Promise<void>((resolve) => ends.set(name, resolve));
    return {};
  };
  app.get('/', handler);
  app.get('/transfer', { config: { limits: { turns: 'transfer' } } }, handler);
  app.get('/heavy', { config: { limits: { turns: 'heavy' } } }, handler);
  app.get('/page', { config: { limits: { turns: 'page' } } }, handler);
  app.addContentTypeParser('*', (_request, payload, done) => payload.resume().on('end', () => done(null)));
  app.post('/', handler);
  t.after(() => app.close());
  await app.ready();
  const responses = new Map<string, Promise<unknown>>();
  const running = () => [...ends.keys()].join(' ');
  return {
    running,
    /** Waits until these handlers run, and expects that no other one starts. */
    async expectRunning(names: string) {
      for (let waited = 0; running() !== names && waited < 10_000; waited += 5) await sleep(5);
      await settle();
      assert.equal(running(), names);
    },
    startedAt: (name: string) => starts.get(name) ?? Number.NaN,
    async send(path: string, names: string, request: Request = {}) {
      const { remoteAddress = '203.0.113.1', bytes } = request;
      const sent = bytes === undefined ? {} : { method: 'POST' as const, payload: Buffer.alloc(bytes) };
      for (const name of names.split(' '))
        responses.set(name, app.inject({ path, query: { name }, remoteAddress, ...sent }).then(String));
      await settle();
    },
    /** Ends the handler of a request, which must run now or soon. */
    async end(name: string) {
      while (!ends.has(name)) await setImmediate();
      ends.get(name)?.();
      ends.delete(name);
      await responses.get(name);
      await settle();
    },
  };
}

/** Waits until all has started that can start: longer than the pause after a handler that is no transfer. */
const settle = () => sleep(60);

test('turns: four handlers of a network run at once, and its further ones wait in the order of their arrival', async (t) => {
  const { send, end, expectRunning } = await openApp(t);
  await send('/', 'a b c d e f');
  await send('/', 'x', { remoteAddress: '198.51.100.1' });
  await expectRunning('a b c d x');
  await end('b');
  await expectRunning('a c d x e');
  for (const name of 'a c d x e f'.split(' ')) await end(name);
});

test('turns: transfers, heavy reads and pages of a network run one at a time each, beside its other handlers', async (t) => {
  const { send, end, expectRunning } = await openApp(t);
  await send('/', 'a b');
  await send('/transfer', 'c d');
  await send('/', 'e');
  await send('/transfer', 'x', { remoteAddress: '198.51.100.1' });
  await send('/heavy', 'k l');
  await send('/page', 'p q');
  await expectRunning('a b c e x k p');
  for (const name of 'k l p q a'.split(' ')) await end(name);
  await expectRunning('b c e x');
  await end('c');
  await end('d');
  await expectRunning('b e x');
  for (const name of 'b e x'.split(' ')) await end(name);
});

test('turns: requests with long bodies run one at a time, beside one other handler', async (t) => {
  const { send, end, expectRunning } = await openApp(t);
  await send('/', 'a', { bytes: 50_001 });
  await send('/', 'c', { bytes: 50_000 });
  await send('/', 'b', { bytes: 50_001 });
  await send('/', 'd');
  await expectRunning('a c');
  await end('a');
  await expectRunning('c b');
  await end('c');
  await expectRunning('b d');
  for (const name of 'b d'.split(' ')) await end(name);
});

test('turns: the place of a handler stays empty for as long as it took', async (t) => {
  const { send, end, running, expectRunning, startedAt } = await openApp(t);
  await send('/', 'a b c d e');
  await expectRunning('a b c d');
  const settled = end('a');
  while (running() !== 'b c d') await setImmediate();
  const endedAt = performance.now();
  await settled;
  await expectRunning('b c d e');
  assert.ok(startedAt('e') - endedAt > 40);
  for (const name of 'b c d e'.split(' ')) await end(name);
});

/**
 * Sends two requests of one network whose handlers take 2 ms each, five times. Returns the shortest time between the end
 * of the first handler and the start of the second, in ms.
 */
async function shortestPauseMs(
  t: TestContext,
  turns: 'heavy' | 'document',
  send = (sendTwo: () => unknown) => sendTwo(),
) {
  const app = fastify();
  registerAdmission(app, { outages: new OutageLog(app.log), hasTurns: true });
  const [starts, ends]: [number[], number[]] = [[], []];
  app.get('/', { config: { limits: { turns } } }, async () => {
    starts.push(performance.now());
    await sleep(2);
    ends.push(performance.now());
    return {};
  });
  t.after(() => app.close());
  await app.ready();
  const sendTwo = () =>
    Promise.all(['/', '/'].map((path) => app.inject({ path, remoteAddress: '203.0.113.1' })));
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    [starts.length, ends.length] = [0, 0];
    await send(sendTwo);
    leastMs = Math.min(leastMs, (starts[1] ?? 0) - (ends[0] ?? 0));
  }
  return leastMs;
}

test('turns: a pause follows a short request of a page as well, which no rate limit counts', async (t) => {
  const pauseMs = await shortestPauseMs(t, 'heavy', runAsPageCall);
  assert.ok(pauseMs >= 1, `${pauseMs} ms`);
});

test('turns: a longer pause follows a document, because sending it takes longer than its handler', async (t) => {
  const pauseMs = await shortestPauseMs(t, 'document');
  assert.ok(pauseMs >= 18, `${pauseMs} ms`);
});

/** Reconnections of live streams, in simulated time. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { listenToEvent } from '@potluck/client';
import { createRecordedClient } from './fixtures.ts';

const gone = 'event: gone\ndata: {"code":"token_invalid"}\n\n';
const snapshot = 'id: 1\nevent: snapshot\ndata: {}\n\n';

/** The response to each request for the stream. */
const answers: Record<string, () => Response> = {
  'a stream that says `gone` at once': () => stream(`${snapshot}${gone}`),
  'a stream that ends at once': () => stream('retry: 1000\n\n'),
  'a stream that ends after a snapshot': () => stream(`retry: 1000\n\n${snapshot}`),
  '429': () => new Response(null, { status: 429 }),
  '429 with Retry-After: 0': () => refusal(429, '0'),
  '500': () => new Response(null, { status: 500 }),
  '503 with Retry-After: 0': () => refusal(503, '0'),
  'no response': () => {
    throw new TypeError('fetch failed');
  },
};

const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
const refusal = (status: number, retryAfter: string) =>
  new Response(null, { status, headers: { 'retry-after': retryAfter } });

/** Listens for so many seconds of simulated time. @returns the second of each request */
async function listen(t: TestContext, seconds: number, answer: () => Response): Promise<number[]> {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const begin = Date.now();
  const sentAt: number[] = [];
  const stop = new AbortController();
  const { client } = createRecordedClient('http://localhost', {
    retry: { attempts: 1 },
    async fetch() {
      sentAt.push((Date.now() - begin) / 1_000);
      // A client that does not wait would keep the test from ending.
      if (sentAt.length > 1_000) stop.abort();
      return answer();
    },
  });
  const { stream: messages } = await listenToEvent({ client, path: { id: 'any' }, signal: stop.signal });
  const listening = Array.fromAsync(messages);
  for (let second = 0; second < seconds; second++) {
    for (let i = 0; i < 20; i++) await turn();
    t.mock.timers.tick(1_000);
  }
  stop.abort();
  await listening;
  t.mock.timers.reset();
  return sentAt;
}

for (const [name, answer] of Object.entries(answers))
  test(`live: ${name}, again and again: at most 10 requests in the first minute, and 5 in each further one`, async (t) => {
    const sentAt = await listen(t, 300, answer);
    const inMinute = (minute: number) => sentAt.filter((at) => Math.floor(at / 60) === minute).length;
    const counts = [0, 1, 2, 3, 4].map(inMinute);
    assert.ok(
      (counts[0] ?? 0) <= 10 && counts.slice(1).every((count) => count >= 1 && count <= 5),
      `${counts}`,
    );
  });

test('live: Retry-After: the next request follows not before that time', async (t) => {
  const sentAt = await listen(t, 120, () => refusal(503, '50'));
  assert.deepEqual(sentAt.length, 3);
  assert.ok((sentAt[1] ?? 0) >= 51 && (sentAt[2] ?? 0) >= (sentAt[1] ?? 0) + 51, `${sentAt}`);
});

test('live: clients that fail together return at different times', async (t) => {
  const answer = () => new Response(null, { status: 500 });
  const { mock } = t.mock.method(Math, 'random', () => 0);
  const first = await listen(t, 60, answer);
  mock.mockImplementation(() => 0.9);
  const second = await listen(t, 60, answer);
  assert.notDeepEqual(first, second);
});

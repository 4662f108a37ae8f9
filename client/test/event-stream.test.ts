/** The reader of server-sent events, compared with an independent one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createParser as createOracle } from 'eventsource-parser';
import fc from 'fast-check';
import { createParser, readMessages, type StreamMessage } from '../src/event-stream.ts';

/** The lines of a message, whose JSON has one line or several. */
const message = fc
  .record({
    event: fc.constantFrom([], ['event: item'], ['event:counts']),
    id: fc.constantFrom([], ['id: a'], ['id:b: c']),
    others: fc.constantFrom(
      [],
      [': comment'],
      [':'],
      ['retry: 25'],
      ['retry: soon'],
      ['other: 1'],
      ['data2'],
    ),
    data: fc.jsonValue().map((value) => JSON.stringify(value, null, 1).split('\n')),
  })
  .map(({ event, id, others, data }) => [
    ...others,
    ...id,
    ...data.map((line) => `data: ${line}`),
    ...event,
    '',
  ]);

function parseAll(parse: (text: string) => void, text: string, cuts: number[]): void {
  const places = [0, ...cuts.map((cut) => cut % text.length).sort((a, b) => a - b), text.length];
  for (const [i, from] of places.slice(0, -1).entries()) parse(text.slice(from, places[i + 1]));
}

test('streams: messages are those of eventsource-parser, however lines end and texts are cut', () => {
  const lineBreak = fc.constantFrom('\n', '\r\n', '\r');
  fc.assert(
    fc.property(fc.array(message), lineBreak, fc.array(fc.nat()), (blocks, lineBreak, cuts) => {
      // The line after the last message completes a final carriage return.
      const text = [...blocks.flat(), ':\n'].join(lineBreak);
      const [messages, expected]: StreamMessage[][] = [[], []];
      const [retries, expectedRetries]: number[][] = [[], []];
      const oracle = createOracle({
        onEvent: ({ event = 'message', id, data }) =>
          expected?.push({ event, data: JSON.parse(data), ...(id !== undefined && { id }) }),
        onRetry: (ms) => expectedRetries?.push(ms),
      });
      oracle.feed(text);
      const parse = createParser({
        onMessage: (message) => messages?.push(message),
        onRetry: (ms) => retries?.push(ms),
      });
      parseAll(parse, text, cuts);
      assert.deepEqual([messages, retries], [expected, expectedRetries]);
    }),
  );
});

test('streams: a character that is cut between two chunks is read; a silent stream is cancelled with an error', async () => {
  const bytes = new TextEncoder().encode('data: "🍞"\n\n');
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, 9));
      controller.enqueue(bytes.slice(9));
    },
    cancel: () => {
      isCancelled = true;
    },
  });
  const messages = readMessages(body, { idleMs: 20, onRetry: () => {} });
  assert.deepEqual(await messages.next(), { done: false, value: { event: 'message', data: '🍞' } });
  await assert.rejects(messages.next(), /silent for 20 ms/);
  assert.ok(isCancelled);
});

test('streams: aborting the signal ends a stream and cancels its body, also where the body does not know the signal', async () => {
  for (const isEarly of [false, true]) {
    const stop = new AbortController();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      cancel: () => {
        isCancelled = true;
      },
    });
    if (isEarly) stop.abort();
    const messages = readMessages(body, { idleMs: 60_000, onRetry: () => {}, signal: stop.signal });
    const next = messages.next();
    stop.abort();
    assert.deepEqual(await next, { done: true, value: undefined });
    assert.ok(isCancelled);
  }
});

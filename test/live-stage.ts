/** What the tests of live events begin with: an event with an item on two servers, and streams that are closed in time. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { type Listening, type ListenOptions, listen } from './listener.ts';
import type { TestApp } from './setup.ts';
import { anEvent, anItem, going, type Person } from './world.ts';

const streams: { stream: Listening; on: TestApp }[] = [];
test.afterEach(() => {
  for (const { stream, on } of streams.splice(0)) {
    stream.close();
    on.contract.checkMessages(stream.messages);
  }
});

/** A stream, from its first message on if there is one to come. */
export async function open(on: TestApp, event: string, options: ListenOptions = {}): Promise<Listening> {
  const stream = await listen(`${on.url}/v1/events/${event}/live`, options);
  streams.push({ stream, on });
  assert.equal(stream.status, 200);
  if (options.lastId === undefined) await stream.until(({ event }) => event === 'snapshot');
  return stream;
}

export const is = (name: string) => (message: { event: string }) => message.event === name;

/** An event with an item, which the guest goes to. */
export async function stageOf(
  api: TestApp,
  organizer: Person,
  guest: Person,
): Promise<{ event: string; item: string }> {
  const { id: event } = await anEvent(api, organizer);
  const { id: item } = await anItem(api, organizer, event, { description: 'Two\nlines' });
  await going(api, guest, event);
  return { event, item };
}

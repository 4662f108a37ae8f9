/** Fixtures for the tests of live events: an event with an item, and streams that close after each test. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type EventStream, openEventStream, type StreamOptions } from './event-stream-client.ts';
import { createEvent, createItem, type Person, rsvpGoing } from './factories.ts';
import type { TestApp } from './setup.ts';

/** Opens a stream and, unless it resumes from `lastId`, waits for the snapshot. */
export async function openStream(
  server: TestApp,
  event: string,
  options: StreamOptions = {},
): Promise<EventStream> {
  const stream = await openEventStream(`${server.url}/v1/events/${event}/live`, options);
  // Within a test, `after` is a hook of this test.
  after(() => {
    stream.close();
    server.contract.checkMessages(stream.messages);
  });
  assert.equal(stream.status, 200);
  if (options.lastId === undefined) await stream.until(({ event }) => event === 'snapshot');
  return stream;
}

export const isNamed = (name: string) => (message: { event: string }) => message.event === name;

/** Creates an event with an item, and an RSVP of `going` by the guest. */
export async function createLiveEvent(
  api: TestApp,
  organizer: Person,
  guest: Person,
): Promise<{ event: string; item: string }> {
  const { id: event } = await createEvent(api, organizer);
  const { id: item } = await createItem(api, organizer, event, { description: 'Two\nlines' });
  await rsvpGoing(api, guest, event);
  return { event, item };
}

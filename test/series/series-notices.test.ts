/** What people are told about a series: one notification for one operation. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { startNewsServer } from '../mail/news-client.ts';
import { createNotificationClient } from '../notifications/notification-client.ts';
import { createUser, rsvpGoing } from '../support/factories.ts';
import { expectStatus } from '../support/setup.ts';
import { at, createSeriesClient } from './series-client.ts';

const { api, news } = await startNewsServer();
const { createSeries, eventsOf, patch, remove, eventOn } = createSeriesClient(api);
const { inbox } = createNotificationClient(api);
const organizer = await createUser(api);
const day = Temporal.Now.plainDateISO('UTC').add({ days: 20 }).toString();
const create = () => createSeries(organizer, { event: eventOn(day) });

// spec: 6 PATCH /v1/events/:id: scopes of a change
test('all: one notification of the nearest date that concerns the person, with the number of dates', async () => {
  const { id } = await create();
  const [first, second, third] = await eventsOf(id);
  const [both, one, nobody] = [await createUser(api), await createUser(api), await createUser(api)];
  for (const event of [second, third]) await rsvpGoing(api, both, event?.id ?? '');
  await rsvpGoing(api, one, third?.id ?? '');
  const change = { startAt: at(`${day}T17:00`), endAt: at(`${day}T19:00`) };
  expectStatus(await patch(first?.id ?? '', organizer, change, 'all'), 200);
  await news.deliver();
  const told = async (person: typeof both) =>
    (await inbox(person)).map(({ kind, event, count }) => [kind, event?.id, count]);
  assert.deepEqual(await told(both), [['eventChanged', second?.id, 2]]);
  assert.deepEqual(await told(one), [['eventChanged', third?.id, 1]]);
  assert.deepEqual(await told(nobody), []);
});

test('cancel: all is one notification for a person', async () => {
  const { id } = await create();
  const events = await eventsOf(id);
  const guest = await createUser(api);
  for (const event of events) await rsvpGoing(api, guest, event.id);
  const cancelled = await patch(events[0]?.id ?? '', organizer, { status: 'cancelled' }, 'all');
  expectStatus(cancelled, 200);
  await news.deliver();
  assert.deepEqual(
    (await inbox(guest)).map(({ kind, event, count }) => [kind, event?.id, count]),
    [['eventCancelled', events[0]?.id, 4]],
  );
});

test('series: followers are told once of a new series; dates that are made notify nobody', async () => {
  const follower = await createUser(api);
  expectStatus(await api.call('POST', `/v1/users/${organizer.id}/follow`, { token: follower.token }), 200);
  const { id } = await create();
  await news.deliver();
  const told = (await inbox(follower)).filter(({ kind }) => kind === 'newEvent');
  const [first] = await eventsOf(id);
  assert.deepEqual(
    told.map(({ event }) => event?.id),
    [first?.id],
  );
  expectStatus(await remove(first?.id ?? '', organizer, 'all'), 200);
});

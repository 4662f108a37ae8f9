/** The notification of an organizer whose event an admin hides. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createAdmin, createEvent, createUser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';
import { createNotificationClient } from './notification-client.ts';

const api = await startTestApp();
const { deliver } = createNotificationClient(api);
const admin = await createAdmin(api);
const reason = 'The address belongs to a person who knows nothing of it.';

const pathOf = (id: string) => `/v1/admin/events/${id}/hidden`;
const hide = (id: string) => api.call('PUT', pathOf(id), { token: admin.token, body: { reason } });
const show = (id: string) => api.delete(pathOf(id), admin.token);

test('hide: the organizer is notified with the reason and without the admin, until the event is shown', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  expectStatus(await hide(event.id), 200);
  await deliver();
  const inbox = async () => expectStatus(await api.get('/v1/notifications', organizer.token), 200).body.data;
  const [notification] = await inbox();
  assert.deepEqual(
    [notification.kind, notification.reason, notification.person, notification.event.id],
    ['eventHidden', reason, null, event.id],
  );
  expectStatus(await show(event.id), 200);
  assert.deepEqual(await inbox(), []);
});

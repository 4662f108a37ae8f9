/** Events that admins hide: who sees them, and what their organizer can do. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { connectionOf, untilBlockedBy } from '../support/blocked-transactions.ts';
import { bookingPath } from '../support/booking-client.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  inDays,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const servers = [api, second];
const admin = await createAdmin(api);
const reason = 'The address belongs to a person who knows nothing of it.';
const unknownId = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const hide = (id: string, text = reason, server: TestApp = api) =>
  server.call('PUT', `/v1/admin/events/${id}/hidden`, { token: admin.token, body: { reason: text } });
const show = (id: string, server: TestApp = api) =>
  server.delete(`/v1/admin/events/${id}/hidden`, admin.token);
const isInLists = async (server: TestApp, { id, title }: { id: string; title: string }) => {
  const { body } = expectStatus(await server.get(`/v1/events?q=${encodeURIComponent(title)}`), 200);
  return body.data.some((event: { id: string }) => event.id === id);
};
/** The parts of a response by which one event could be told from another. */
const shapeOf = async (server: TestApp, person: Person | undefined, path: string) => {
  const { status, body } = await server.get(path, person?.token);
  const { instance: _, requestId: __, ...problem } = body ?? {};
  return { status, problem };
};

// spec: 3 PUT /v1/admin/events/:id/hidden: hidden event: not hidden → hidden
// spec: 3 DELETE /v1/admin/events/:id/hidden: hidden event: hidden → not hidden
test('hide: the event is as one that does not exist on every server, but for its organizer and admins; showing it restores all', async () => {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const event = await createEvent(api, organizer, { title: 'Zwiebelkuchen am Kanal' });
  const item = await createItem(api, organizer, event.id, { title: 'Bread' });
  await rsvpGoing(api, guest, event.id);
  const path = `/v1/events/${event.id}`;
  for (const server of servers) assert.equal(await isInLists(server, event), true);

  const { body } = expectStatus(await hide(event.id), 200);
  assert.equal(body.hidden.reason, reason);
  for (const server of servers) {
    assert.equal(await isInLists(server, event), false);
    for (const person of [undefined, guest])
      for (const tail of ['', '/items', '/guests', '/claims', '/calendar.ics'])
        assert.deepEqual(
          await shapeOf(server, person, `${path}${tail}`),
          await shapeOf(server, person, `/v1/events/${unknownId}${tail}`),
        );
    for (const person of [organizer, admin])
      assert.deepEqual(expectStatus(await server.get(path, person.token), 200).body.hidden, body.hidden);
    const writes = [
      await server.post(`${path}/rsvp`, guest.token, { status: 'interested' }),
      await server.post(bookingPath(event.id), guest.token, { seats: 1 }),
      await server.post(`${path}/save`, guest.token, { saved: true }),
      await server.patch(path, guest.token, { title: 'Mine' }),
    ];
    for (const refused of writes) expectProblem(refused, 404, 'event_not_found');
    expectProblem(
      await server.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }),
      404,
      'item_not_found',
    );
    const mine = expectStatus(await server.get('/v1/me/events?relation=going', guest.token), 200).body.data;
    assert.deepEqual(mine, []);
  }

  expectStatus(await show(event.id, second), 200);
  for (const server of servers) {
    assert.equal(await isInLists(server, event), true);
    const seen = expectStatus(await server.get(path, guest.token), 200).body;
    assert.deepEqual([seen.myRsvp, 'hidden' in seen], ['going', false]);
    assert.equal(expectStatus(await server.get(path, organizer.token), 200).body.hidden, null);
  }
  await assertCounters(api.sql);
});

test('hide: 200 for changes of the organizer, none of which shows the event; a copy is 409 event_hidden', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  expectStatus(await hide(event.id), 200);
  const changes = [
    { visibility: 'private' },
    { visibility: 'public' },
    { status: 'cancelled' },
    { status: 'scheduled', title: 'Again', startAt: inDays(3), endAt: inDays(3, 4) },
  ];
  for (const change of changes) {
    const { body } = expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, change), 200);
    assert.equal(body.hidden.reason, reason);
    for (const server of servers)
      expectProblem(await server.get(`/v1/events/${event.id}`), 404, 'event_not_found');
  }
  for (const person of [organizer, admin]) {
    const copy = await api.post(`/v1/events/${event.id}/duplicate`, person.token, { startAt: inDays(9) });
    expectProblem(copy, 409, 'event_hidden');
  }
  await assertCounters(api.sql);
});

test('hide: again it changes the reason alone; open reports are resolved, and the audit trail has each change', async () => {
  const [organizer, reporter, later] = await createUsers(api, 3);
  assert.ok(organizer && reporter && later);
  const event = await createEvent(api, organizer);
  const subject = { type: 'event', id: event.id };
  const { body: report } = expectStatus(
    await api.post('/v1/reports', reporter.token, { subject, reason: 'spam' }),
    201,
  );
  const first = expectStatus(await hide(event.id), 200).body;
  assert.deepEqual(expectStatus(await hide(event.id), 200).body, first);
  const changed = expectStatus(await hide(event.id, 'Another reason'), 200).body;
  assert.deepEqual(changed.hidden, { reason: 'Another reason', at: first.hidden.at });
  const resolved = expectStatus(await api.get(`/v1/admin/reports/${report.id}`, admin.token), 200).body;
  assert.deepEqual([resolved.status, resolved.note], ['resolved', reason]);
  expectProblem(
    await api.post('/v1/reports', later.token, { subject, reason: 'spam' }),
    404,
    'subject_not_found',
  );
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await show(event.id), 200).body, { id: event.id, hidden: null });
  const entries = await api.sql`
    select what, by_id, detail from audit where user_id = ${organizer.id} and what like 'event_%' order by at, id`;
  assert.deepEqual(
    entries.map(({ what, byId, detail }) => [what, byId, detail]),
    [
      ['event_hidden', admin.id, `${event.id} ${reason}`],
      ['event_hidden', admin.id, `${event.id} Another reason`],
      ['event_shown', admin.id, event.id],
    ],
  );
});

test('hide: 400 without a reason or with 501 characters, 403 for the organizer, 404 for an unknown event', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  for (const text of ['', ' ', 'a'.repeat(501)])
    expectProblem(await hide(event.id, text), 400, 'invalid_request');
  for (const method of ['PUT', 'DELETE']) {
    const options = { token: organizer.token, ...(method === 'PUT' && { body: { reason } }) };
    expectProblem(await api.call(method, `/v1/admin/events/${event.id}/hidden`, options), 403, 'not_admin');
  }
  expectProblem(await hide(unknownId), 404, 'event_not_found');
  expectProblem(await show('x'), 404, 'event_not_found');
});

test('hide: restoring the suspended organizer does not show the event, and showing it does not while they are suspended', async () => {
  const organizer = await createUser(api);
  const [event, other] = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const suspension = `/v1/admin/users/${organizer.id}/suspend`;
  expectStatus(await hide(event.id), 200);
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  expectStatus(await api.delete(suspension, admin.token), 200);
  expectProblem(await second.get(`/v1/events/${event.id}`), 404, 'event_not_found');
  expectStatus(await second.get(`/v1/events/${other.id}`), 200);
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  expectStatus(await show(event.id), 200);
  expectProblem(await second.get(`/v1/events/${event.id}`), 404, 'event_not_found');
  expectStatus(await api.delete(suspension, admin.token), 200);
  for (const server of servers) expectStatus(await server.get(`/v1/events/${event.id}`), 200);
  await assertCounters(api.sql);
});

test('hide: a change of the organizer, an RSVP and a claim that wait for it on another server find the event hidden', async () => {
  const [organizer, guest] = (await createUsers(api, 2)) as [Person, Person];
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  // A lock on the event makes the hiding wait, and the writes behind it.
  const { hiding, writes } = await api.sql.begin(async (tx) => {
    await tx`select 1 from events where id = ${event.id} for update`;
    const holder = await connectionOf(tx);
    const hiding = hide(event.id);
    const hider = await untilBlockedBy(api.sql, holder, hiding);
    assert.ok(hider);
    const writes = Promise.all([
      second.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'public', title: 'Changed' }),
      second.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'going' }),
      second.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }),
    ]);
    await untilBlockedBy(api.sql, hider, writes);
    return { hiding, writes };
  });
  expectStatus(await hiding, 200);
  const [changed, rsvp, claim] = await writes;
  assert.equal(expectStatus(changed, 200).body.title, 'Changed');
  expectProblem(rsvp, 404, 'event_not_found');
  expectProblem(claim, 404, 'item_not_found');
  for (const server of servers)
    expectProblem(await server.get(`/v1/events/${event.id}`, guest.token), 404, 'event_not_found');
  await assertCounters(api.sql);
});

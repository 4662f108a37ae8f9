import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const guest = await createUser(api);
const unknown = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

const rsvp = (id: string, status: unknown, person: Person = guest) =>
  api.post(`/v1/events/${id}/rsvp`, person.token, { status });
const save = (id: string, saved: unknown, person: Person = guest) =>
  api.post(`/v1/events/${id}/save`, person.token, { saved });
/** Returns myRsvp, rsvpCount and goingCount of the event record, as the person reads it. */
async function rsvpState(id: string, person: Person = guest): Promise<unknown[]> {
  const { body } = expectStatus(await api.get(`/v1/events/${id}`, person.token), 200);
  return [body.myRsvp, body.rsvpCount, body.goingCount];
}

// spec: 2.4 GET /v1/events: `rsvpCount`
// spec: 3 POST /v1/events/:id/rsvp: RSVP: none or interested → going; RSVP: none or going → interested
// spec: 3 POST /v1/events/:id/rsvp: RSVP: going or interested → none
// spec: 4.12 POST /v1/events/:id/rsvp: `status`: `going`, `interested` or null
test('rsvp: 200 for every transition, with only myRsvp and rsvpCount in the body, and exact counts', async () => {
  const states = [null, 'interested', 'going'] as const;
  for (const from of states) {
    for (const to of states) {
      const event = await createEvent(api, organizer);
      await rsvpGoing(api, organizer, event.id);
      expectStatus(await rsvp(event.id, from), 200);
      const rsvpCount = 1 + Number(to !== null);
      // The second, equal request changes nothing and gets an equal response.
      for (let attempt = 0; attempt < 2; attempt++) {
        const { body } = expectStatus(await rsvp(event.id, to), 200);
        assert.deepEqual(body, { myRsvp: to, rsvpCount, myRequest: null }, `${from} → ${to}`);
        assert.deepEqual(
          await rsvpState(event.id),
          [to, rsvpCount, 1 + Number(to === 'going')],
          `${from} → ${to}`,
        );
      }
      assert.deepEqual(await rsvpState(event.id, organizer), [
        'going',
        rsvpCount,
        1 + Number(to === 'going'),
      ]);
    }
  }
  await assertCounters(api.sql);
});

// spec: 4.12 POST /v1/events/:id/rsvp: `status`: `going`, `interested` or null
test('rsvp: 400 naming status when it is missing or not going, interested or null', async () => {
  const event = await createEvent(api, organizer);
  for (const status of [undefined, '', 'Going', 'maybe', 'none', 'null', 0, false, true, [], ['going'], {}]) {
    const { body } = expectProblem(await rsvp(event.id, status), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'status', JSON.stringify(status));
  }
  for (const body of [{ status: 'going', note: 'x' }, { myRsvp: 'going' }, [], 'going', null]) {
    expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token, body), 400);
  }
  expectStatus(await api.post(`/v1/events/${event.id}/rsvp`, guest.token), 400);
  assert.deepEqual(await rsvpState(event.id), [null, 0, 0]);
});

// spec: 3 POST /v1/events/:id/save: saved flag: not saved → saved; saved flag: saved → not saved
// spec: 4.13 POST /v1/events/:id/save: `saved`
test('save: 200 for saved and not saved, also when repeated; isSaved of other people stays false', async () => {
  const event = await createEvent(api, organizer);
  for (const saved of [false, true, true, false, false, true]) {
    assert.deepEqual(expectStatus(await save(event.id, saved), 200).body, { isSaved: saved });
    assert.equal((await api.get(`/v1/events/${event.id}`, guest.token)).body.isSaved, saved);
    assert.equal((await api.get(`/v1/events/${event.id}`, organizer.token)).body.isSaved, false);
  }
});

// spec: 4.13 POST /v1/events/:id/save: `saved`
test('save: 400 naming saved when it is missing or not a boolean', async () => {
  const event = await createEvent(api, organizer);
  for (const saved of [undefined, null, 'true', 1, 0, {}]) {
    const { body } = expectProblem(await save(event.id, saved), 400, 'invalid_request');
    assert.equal(body.errors[0].path, 'saved', JSON.stringify(saved));
  }
});

test('rsvp and save: 401 without a token, 404 for an unknown or hidden event, 400 for an invalid body before 404', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  const calls = [
    ['rsvp', { status: 'going' }],
    ['rsvp', { status: null }],
    ['save', { saved: true }],
    ['save', { saved: false }],
  ] as const;
  for (const [path, body] of calls) {
    expectProblem(await api.post(`/v1/events/${draft.id}/${path}`, undefined, body), 401, 'token_missing');
    for (const id of [unknown, draft.id, 'nonsense', '1']) {
      expectProblem(await api.post(`/v1/events/${id}/${path}`, guest.token, body), 404, 'event_not_found');
      expectProblem(await api.post(`/v1/events/${id}/${path}`, guest.token, {}), 400, 'invalid_request');
    }
    for (const person of [organizer, await createAdmin(api)]) {
      expectStatus(await api.post(`/v1/events/${draft.id}/${path}`, person.token, body), 200);
    }
  }
});

test('rsvp, claim and booking: 200 and 201 after the event has ended', async () => {
  const past = { startAt: '2020-01-01T18:00:00Z', endAt: '2020-01-01T22:00:00Z' };
  const event = await createEvent(api, organizer, past);
  const item = await createItem(api, organizer, event.id);
  expectStatus(await rsvp(event.id, 'going'), 200);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 1 }), 201);
  expectStatus(await api.post(`/v1/events/${event.id}/booking`, guest.token, { seats: 1 }), 201);
  await assertCounters(api.sql);
});

test('rsvp and save: 200 on unlisted, past and full events: capacity limits bookings, not RSVPs', async () => {
  const past = { startAt: '2001-01-01T00:00:00Z', endAt: '2001-01-02T00:00:00Z' };
  for (const overrides of [{ visibility: 'unlisted' }, past, { capacity: 1 }]) {
    const event = await createEvent(api, organizer, overrides);
    for (const person of [guest, organizer]) {
      expectStatus(await rsvp(event.id, 'going', person), 200);
      expectStatus(await save(event.id, true, person), 200);
    }
    assert.deepEqual(await rsvpState(event.id), ['going', 2, 2]);
  }
});

test('cancelled event: 409 for an RSVP, 200 for clearing it, saving and reading; 200 for an RSVP after rescheduling', async () => {
  const event = await createEvent(api, organizer);
  const other = await createUser(api);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  expectProblem(await rsvp(event.id, 'going', other), 409, 'event_cancelled');
  expectProblem(await rsvp(event.id, 'interested', other), 409, 'event_cancelled');
  expectProblem(await rsvp(event.id, 'interested'), 409, 'event_cancelled');
  assert.deepEqual(await rsvpState(event.id), ['going', 1, 1]);
  for (const saved of [true, false])
    assert.deepEqual(expectStatus(await save(event.id, saved), 200).body, { isSaved: saved });
  assert.deepEqual(expectStatus(await rsvp(event.id, null), 200).body, {
    myRsvp: null,
    rsvpCount: 0,
    myRequest: null,
  });
  assert.deepEqual(expectStatus(await rsvp(event.id, null, other), 200).body, {
    myRsvp: null,
    rsvpCount: 0,
    myRequest: null,
  });
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'scheduled' }), 200);
  expectStatus(await rsvp(event.id, 'going'), 200);
  assert.deepEqual(await rsvpState(event.id), ['going', 1, 1]);
  await assertCounters(api.sql);
});

test('rsvp: a change from going to interested or null keeps the claims', async () => {
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 2 }), 201);
  for (const status of ['interested', null]) {
    expectStatus(await rsvp(event.id, status), 200);
    const { body } = await api.get(`/v1/events/${event.id}/items`, guest.token);
    assert.deepEqual([body.data[0].quantityClaimed, body.data[0].myClaim.quantity], [2, 2]);
  }
});

test('hidden event: 200 for clearing an earlier RSVP and save, then 404', async () => {
  const [organizer, guest] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.post(`/v1/events/${event.id}/save`, guest.token, { saved: true }), 200);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  const cleared = expectStatus(
    await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: null }),
    200,
  );
  assert.deepEqual(cleared.body, { myRsvp: null, rsvpCount: 0, myRequest: null });
  expectStatus(await api.post(`/v1/events/${event.id}/save`, guest.token, { saved: false }), 200);
  for (const [path, body] of [
    ['rsvp', { status: null }],
    ['save', { saved: false }],
  ] as const) {
    expectProblem(
      await api.post(`/v1/events/${event.id}/${path}`, guest.token, body),
      404,
      'event_not_found',
    );
  }
});

test('cancelled event: 200 for an RSVP equal to the current one, 409 for a different RSVP', async () => {
  const [organizer, guest] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  const again = expectStatus(
    await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'going' }),
    200,
  );
  assert.deepEqual(again.body, { myRsvp: 'going', rsvpCount: 1, myRequest: null });
  expectProblem(
    await api.post(`/v1/events/${event.id}/rsvp`, guest.token, { status: 'interested' }),
    409,
    'event_cancelled',
  );
});

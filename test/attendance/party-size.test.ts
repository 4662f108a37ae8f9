/** Extra guests of RSVPs, and the number of people who come. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createEvent,
  createUser,
  createUsers,
  deleteAccount,
  type Person,
  rsvpGoing,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { randomOf } from '../support/random.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);

type Rsvp = { status: unknown; extraGuests?: unknown; isHidden?: unknown };
const rsvp = (id: string, body: Rsvp, person = guest, on = api) =>
  on.post(`/v1/events/${id}/rsvp`, person.token, body);
/** Returns myExtraGuests, rsvpCount, goingCount and partyCount, as the other server shows them. */
async function countsOf(id: string, person: Person = guest): Promise<number[]> {
  const { body } = expectStatus(await second.get(`/v1/events/${id}`, person.token), 200);
  return [body.myExtraGuests, body.rsvpCount, body.goingCount, body.partyCount];
}

// spec: 2.4 GET /v1/events/:id: `partyCount`: people who are going and their extra guests
// spec: 4.12 POST /v1/events/:id/rsvp: `extraGuests` of an RSVP
test('party size: 200; extraGuests keeps its value if left out, and counts only while the status is going', async () => {
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, organizer, event.id, 3);
  const steps: [Rsvp, number[]][] = [
    [{ status: 'going' }, [0, 2, 2, 5]],
    [{ status: 'going', extraGuests: 10 }, [10, 2, 2, 15]],
    [{ status: 'going' }, [10, 2, 2, 15]],
    [{ status: 'interested' }, [10, 2, 1, 4]],
    [{ status: 'interested', extraGuests: 2 }, [2, 2, 1, 4]],
    [{ status: 'going' }, [2, 2, 2, 7]],
    [{ status: 'going', extraGuests: 0 }, [0, 2, 2, 5]],
    [{ status: 'going', extraGuests: 4 }, [4, 2, 2, 9]],
    [{ status: null, extraGuests: 9 }, [0, 1, 1, 4]],
    [{ status: 'going' }, [0, 2, 2, 5]],
  ];
  for (const [body, counts] of steps) {
    const response = expectStatus(await rsvp(event.id, body), 200);
    assert.deepEqual(response.body, { myRsvp: body.status, rsvpCount: counts[1], myRequest: null });
    assert.deepEqual(await countsOf(event.id), counts, JSON.stringify(body));
  }
  const { body: list } = await second.get('/v1/events');
  assert.equal(list.data.find(({ id }: { id: string }) => id === event.id).partyCount, 5);
  const { body: anonymous } = await second.get(`/v1/events/${event.id}`);
  assert.deepEqual(
    [anonymous.partyCount, anonymous.myExtraGuests, anonymous.isRsvpHidden],
    [5, undefined, undefined],
  );
  await assertCounters(api.sql);
});

test('party size: 400 naming the field unless extraGuests is a whole number from 0 to 10 and isHidden a boolean', async () => {
  const event = await createEvent(api, organizer);
  for (const [field, values] of [
    ['extraGuests', [-1, 11, 1.5, '1', null, true, 1e9]],
    ['isHidden', [null, 'true', 0]],
  ] as const) {
    for (const value of values) {
      const response = await rsvp(event.id, { status: 'going', [field]: value });
      const { body } = expectProblem(response, 400, 'invalid_request');
      assert.deepEqual(
        body.errors.map(({ path }: { path: string }) => path),
        [field],
        `${value}`,
      );
    }
  }
  assert.deepEqual(await countsOf(event.id), [0, 0, 0, 0]);
});

test('cancelled event: 200 for the same status with no more extra guests and for hiding, 409 for more extra guests', async () => {
  const event = await createEvent(api, organizer);
  await rsvpGoing(api, guest, event.id, 3);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { status: 'cancelled' }), 200);
  for (const body of [{ extraGuests: 4 }, { extraGuests: 10, isHidden: true }])
    expectProblem(await rsvp(event.id, { status: 'going', ...body }), 409, 'event_cancelled');
  expectProblem(await rsvp(event.id, { status: 'interested', extraGuests: 1 }), 409, 'event_cancelled');
  assert.deepEqual(await countsOf(event.id), [3, 1, 1, 4]);
  for (const [body, extraGuests] of [
    [{ extraGuests: 3 }, 3],
    [{ extraGuests: 1 }, 1],
    [{ isHidden: true }, 1],
  ] as const) {
    expectStatus(await rsvp(event.id, { status: 'going', ...body }), 200);
    assert.deepEqual(await countsOf(event.id), [extraGuests, 1, 1, 1 + extraGuests]);
  }
  assert.equal((await second.get(`/v1/events/${event.id}`, guest.token)).body.isRsvpHidden, true);
  await assertCounters(api.sql);
});

// spec: 4.8 DELETE /v1/me, POST /v1/me/delete-code: delete the account with `confirmCode`
test('party size: the deletion of an account removes its extra guests from partyCount', async () => {
  const event = await createEvent(api, organizer);
  const leaver = await createUser(api);
  await rsvpGoing(api, guest, event.id, 1);
  await rsvpGoing(api, leaver, event.id, 7);
  assert.deepEqual(await countsOf(event.id), [1, 2, 2, 10]);
  const { body: exported } = expectStatus(await api.get('/v1/me/export', leaver.token), 200);
  assert.deepEqual([exported.rsvps[0].extraGuests, exported.rsvps[0].isHidden], [7, false]);
  expectStatus(await deleteAccount(api, leaver), 200);
  assert.deepEqual(await countsOf(event.id), [1, 1, 1, 2]);
  await assertCounters(api.sql);
});

test('party size: 200 concurrent RSVPs with party sizes on two servers leave exact counts', async () => {
  const people = await createUsers(api, 12);
  const events = [await createEvent(api, organizer), await createEvent(api, organizer)];
  const { pick } = randomOf(18);
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, i) => {
      const body = {
        status: pick(['going', 'going', 'interested', null]),
        ...(pick([true, false]) && { extraGuests: pick([0, 1, 5, 10]) }),
        ...(pick([true, false]) && { isHidden: pick([true, false]) }),
      };
      return rsvp(pick(events).id, body, pick(people), i % 2 ? api : second);
    }),
  );
  assert.deepEqual(
    responses.filter(({ status }) => status !== 200),
    [],
  );
  await assertCounters(api.sql);
  for (const { id } of events) {
    const [row] = await api.sql<{ party: number }[]>`
      select coalesce(sum(1 + coalesce(extra_guests, 0)), 0)::int as party from rsvps
      where event_id = ${id} and status = 'going'`;
    assert.equal((await countsOf(id)).at(-1), row?.party);
  }
});

test('party size: of two concurrent first RSVPs of a person, the one without extraGuests does not undo the other', async () => {
  const people = await createUsers(api, 20);
  const event = await createEvent(api, organizer);
  await Promise.all(
    people.flatMap((person, i) => [
      rsvp(event.id, { status: 'going', extraGuests: 3, isHidden: true }, person, i % 2 ? api : second),
      rsvp(event.id, { status: 'going' }, person, i % 2 ? second : api),
    ]),
  );
  const rows = await api.sql`select distinct extra_guests, is_hidden from rsvps where event_id = ${event.id}`;
  assert.deepEqual([...rows], [{ extraGuests: 3, isHidden: true }]);
  assert.deepEqual((await countsOf(event.id)).slice(1), [20, 20, 80]);
  await assertCounters(api.sql);
});

/**
 * Account deletion during requests of others, sign-ins and other deletions, on two servers. author-locks.test.ts forces the
 * order of a deletion and of the person's own writes.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashContact } from '../../src/modules/accounts/codes/hashes.ts';
import { often } from '../support/all-cases.ts';
import { findRowsContaining } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  type Person,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { type ApiResponse, expectStatus, secretKey, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const admin = await createAdmin(api);
let calls = 0;
const nextServer = () => (calls++ % 2 === 0 ? api : second);

const requestDeletionCode = async (person: Person): Promise<string> =>
  expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
const deleteWithCode = (person: Person, confirmCode: string) =>
  nextServer().delete('/v1/me', person.token, { confirmCode });
const post = (person: Person, path: string, body?: unknown) => nextServer().post(path, person.token, body);
const remove = (person: Person, path: string) => nextServer().delete(path, person.token);

/** Sends each request at a random time within `ms` milliseconds. */
const sendAtRandomTimes = (requests: (() => Promise<ApiResponse>)[], ms: number): Promise<ApiResponse[]> =>
  Promise.all(requests.map(async (send) => sleep(Math.random() * ms).then(send)));

function expectNoServerError(responses: ApiResponse[]): void {
  for (const { status, body } of responses) assert.ok(status < 500, JSON.stringify(body));
}

// spec: 3 DELETE /v1/me: account: existing → deleted
test('deletion during requests of others about the person and their events: 200, and no row remains', async () => {
  const others = await createUsers(api, 4);
  for (let round = 0; round < often(6); round++) {
    const [host, guest] = others;
    assert.ok(host && guest);
    const person = await createUser(api);
    const [otherEvent, deletedEvent] = [await createEvent(api, host), await createEvent(api, host)];
    const [bread, wine] = [
      await createItem(api, host, otherEvent.id),
      await createItem(api, host, otherEvent.id),
    ];
    for (const event of [otherEvent, deletedEvent]) await rsvpGoing(api, person, event.id);
    for (const item of [bread, wine])
      expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }), 201);
    const ownEvent = await createEvent(api, person);
    const olives = await createItem(api, person, ownEvent.id);
    for (const other of others) await rsvpGoing(api, other, ownEvent.id);
    const code = await requestDeletionCode(person);
    const responses = await sendAtRandomTimes(
      [
        () => deleteWithCode(person, code),
        () => remove(host, `/v1/items/${bread.id}`),
        () => remove(host, `/v1/events/${deletedEvent.id}`),
        () => nextServer().patch(`/v1/events/${ownEvent.id}`, admin.token, { status: 'cancelled' }),
        () => remove(admin, `/v1/items/${olives.id}`),
        () =>
          post(admin, `/v1/events/${ownEvent.id}/items`, { title: 'Tea', kind: 'wish', quantityNeeded: 1 }),
        ...others.flatMap((other) => [
          () => post(other, `/v1/users/${person.id}/follow`),
          () => remove(other, `/v1/users/${person.id}/follow`),
          () => post(other, `/v1/items/${olives.id}/claim`, { quantity: 1 }),
          () => remove(other, `/v1/items/${olives.id}/claim`),
          () => post(other, `/v1/events/${ownEvent.id}/rsvp`, { status: null }),
          () => post(other, `/v1/events/${ownEvent.id}/save`, { saved: true }),
          () => post(other, `/v1/events/${otherEvent.id}/rsvp`, { status: 'going' }),
          () => post(other, `/v1/items/${wine.id}/claim`, { quantity: 1 }),
        ]),
        () => post(guest, `/v1/users/${person.id}/block`),
        () => remove(guest, `/v1/users/${person.id}/block`),
      ],
      25,
    );
    expectNoServerError(responses);
    expectStatus(responses[0] as ApiResponse, 200);
    assert.deepEqual(await findRowsContaining(api.sql, [person.id, ownEvent.id]), []);
    await assertCounters(api.sql);
  }
});

test('deletion during sign-ins: each sign-in returns the token of a new account or a token that is rejected', async () => {
  for (let round = 0; round < often(6); round++) {
    const person = await createUser(api);
    const code = await requestDeletionCode(person);
    const { body } = expectStatus(
      await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
      202,
    );
    const verification = { phone: person.phone, code: body.devCode };
    const responses = await sendAtRandomTimes(
      [
        () => deleteWithCode(person, code),
        () => nextServer().post('/v1/auth/otp/verify', undefined, verification),
        () => nextServer().post('/v1/auth/otp/verify', undefined, verification),
        () => nextServer().post('/v1/auth/otp/request', undefined, { phone: person.phone }),
      ],
      8,
    );
    expectNoServerError(responses);
    expectStatus(responses[0] as ApiResponse, 200);
    for (const { status, body } of responses.slice(1, 3)) {
      if (status !== 200) continue;
      assert.equal(body.isNewUser, body.user.id !== person.id);
      expectStatus(await api.get('/v1/auth/me', body.accessToken), body.isNewUser ? 200 : 401);
    }
    assert.deepEqual(await findRowsContaining(api.sql, [person.id]), []);
    const again = await signIn(api, person.phone);
    assert.notEqual(again.id, person.id);
    await assertCounters(api.sql);
  }
});

test('deletion twice at once, while codes are requested: at most one 200, and no code remains', async () => {
  for (let round = 0; round < often(6); round++) {
    const person = await createUser(api);
    const phone = await signIn(api, person.phone);
    const code = await requestDeletionCode(person);
    const responses = await sendAtRandomTimes(
      [
        () => deleteWithCode(person, code),
        () => deleteWithCode(phone, code),
        () => deleteWithCode(person, code),
        () => post(phone, '/v1/me/delete-code'),
        () => post(person, '/v1/me/delete-code'),
      ],
      6,
    );
    expectNoServerError(responses);
    const done = responses.slice(0, 3).filter(({ status }) => status === 200).length;
    assert.ok(done <= 1);
    // A concurrent code request replaces the code in use. Then the account is not deleted and keeps its
    // codes.
    const phoneHash = hashContact(secretKey, { kind: 'phone', value: person.phone }).toString('hex');
    if (done === 1) assert.deepEqual(await findRowsContaining(api.sql, [phoneHash, person.id]), []);
    else expectStatus(await api.get('/v1/auth/me', person.token), 200);
    await assertCounters(api.sql);
  }
});

test("deletion of six people who are guests of each other's events, at once: six times 200, and no row remains", async () => {
  for (let round = 0; round < often(2); round++) {
    const people = await createUsers(api, 6);
    const bystander = await createUser(api);
    const events: { id: string; items: string[] }[] = [];
    for (const person of people) {
      const event = await createEvent(api, person);
      const items = [
        await createItem(api, person, event.id, { quantityNeeded: 9 }),
        await createItem(api, person, event.id, { quantityNeeded: 9 }),
      ];
      events.push({ id: event.id, items: items.map((item) => item.id) });
    }
    const common = await createEvent(api, bystander);
    const shared = await createItem(api, bystander, common.id, { quantityNeeded: 9 });
    events.push({ id: common.id, items: [shared.id] });
    await Promise.all(
      [...people, bystander].map(async (person) => {
        for (const event of events) {
          await rsvpGoing(api, person, event.id);
          expectStatus(await post(person, `/v1/events/${event.id}/save`, { saved: true }), 200);
          for (const item of event.items)
            expectStatus(await post(person, `/v1/items/${item}/claim`, { quantity: 1 }), 201);
        }
        for (const other of [...people, bystander]) {
          if (other !== person) expectStatus(await post(person, `/v1/users/${other.id}/follow`), 200);
        }
      }),
    );
    const codes = await Promise.all(people.map(requestDeletionCode));
    const responses = await Promise.all(people.map((person, i) => deleteWithCode(person, codes[i] ?? '')));
    for (const response of responses) expectStatus(response, 200);
    assert.deepEqual(
      await findRowsContaining(
        api.sql,
        people.map((person) => person.id),
      ),
      [],
    );
    const { body } = expectStatus(await api.get(`/v1/users/${bystander.id}`), 200);
    assert.deepEqual([body.followersCount, body.followingCount], [0, 0]);
    const { body: list } = expectStatus(await api.get(`/v1/events/${common.id}/items`), 200);
    assert.equal(list.data[0].quantityClaimed, 1);
    await assertCounters(api.sql);
  }
});

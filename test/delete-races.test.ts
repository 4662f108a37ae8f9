/** Accounts that are deleted while they, and everybody around them, go on acting, over two instances of the server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashPhone } from '../src/modules/auth/code-hashes.ts';
import { findRowsContaining } from './database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  createUsers,
  eventBody,
  type Person,
  rsvpGoing,
  signIn,
} from './factories.ts';
import { assertCounters } from './invariants.ts';
import { type ApiResponse, expectStatus, secretKey, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();
const admin = await createAdmin(api);
let calls = 0;
const either = () => (calls++ % 2 === 0 ? api : second);

const codeOf = async (person: Person): Promise<string> =>
  expectStatus(await api.post('/v1/me/delete-code', person.token), 202).body.devCode;
const leave = (person: Person, confirmCode: string) =>
  either().delete('/v1/me', person.token, { confirmCode });
const post = (who: Person, path: string, body?: unknown) => either().post(path, who.token, body);
const remove = (who: Person, path: string) => either().delete(path, who.token);

/** Each at a moment of its own within some milliseconds. */
const scattered = (acts: (() => Promise<ApiResponse>)[], ms: number): Promise<ApiResponse[]> =>
  Promise.all(acts.map(async (act) => sleep(Math.random() * ms).then(act)));

function expectNoFault(answers: ApiResponse[]): void {
  for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body));
}

test('deletion while the person writes: 200, and whatever they wrote is gone', async () => {
  const host = await createUser(api);
  const many = await Promise.all(Array.from({ length: 15 }, () => createEvent(api, host)));
  let deleted = 0;
  for (let round = 0; round < 6; round++) {
    const event = await createEvent(api, host);
    const items = [await createItem(api, host, event.id), await createItem(api, host, event.id)];
    const person = await createUser(api);
    await rsvpGoing(api, person, event.id);
    const own = await createEvent(api, person);
    const code = await codeOf(person);
    const answers = await scattered(
      [
        () => leave(person, code),
        ...items.map((item) => () => post(person, `/v1/items/${item.id}/claim`, { quantity: 1 })),
        () => post(person, `/v1/events/${event.id}/rsvp`, { status: 'interested' }),
        () => post(person, `/v1/events/${event.id}/rsvp`, { status: null }),
        () => post(person, `/v1/events/${event.id}/save`, { saved: true }),
        () => post(person, `/v1/users/${host.id}/follow`),
        () => post(person, `/v1/users/${admin.id}/block`),
        () => post(person, '/v1/events', eventBody()),
        () =>
          post(person, `/v1/events/${own.id}/items`, { title: 'Bread', kind: 'bring', quantityNeeded: 2 }),
        () => remove(person, `/v1/events/${own.id}`),
        ...many.flatMap(({ id }) => [
          () => post(person, `/v1/events/${id}/save`, { saved: true }),
          () => post(person, `/v1/events/${id}/rsvp`, { status: 'going' }),
        ]),
        () => either().patch('/v1/me', person.token, { name: `Ghost ${round}`, username: `ghost_${round}` }),
        () => either().post('/v1/auth/refresh', undefined, { refreshToken: person.refreshToken }),
        () => post(person, '/v1/auth/otp/request', { phone: person.phone }),
      ],
      25,
    );
    expectNoFault(answers);
    // A refresh that came first makes the token at hand an old one.
    if (answers[0]?.status !== 200) assert.equal(answers[0]?.body.code, 'token_invalid');
    else
      assert.deepEqual(
        await findRowsContaining(api.sql, [person.id, `ghost_${round}`, `Ghost ${round}`]),
        [],
      );
    deleted += Number(answers[0]?.status === 200);
    await assertCounters(api.sql);
  }
  assert.ok(deleted > 0);
});

// spec: 3 DELETE /v1/me: account: existing → deleted
test('deletion while others act on the person and their events: 200, and no row of it is left over', async () => {
  const others = await createUsers(api, 4);
  for (let round = 0; round < 6; round++) {
    const [host, guest] = others;
    assert.ok(host && guest);
    const person = await createUser(api);
    const [theirs, doomed] = [await createEvent(api, host), await createEvent(api, host)];
    const [bread, wine] = [await createItem(api, host, theirs.id), await createItem(api, host, theirs.id)];
    for (const event of [theirs, doomed]) await rsvpGoing(api, person, event.id);
    for (const item of [bread, wine])
      expectStatus(await api.post(`/v1/items/${item.id}/claim`, person.token, { quantity: 1 }), 201);
    const own = await createEvent(api, person);
    const olives = await createItem(api, person, own.id);
    for (const other of others) await rsvpGoing(api, other, own.id);
    const code = await codeOf(person);
    const answers = await scattered(
      [
        () => leave(person, code),
        () => remove(host, `/v1/items/${bread.id}`),
        () => remove(host, `/v1/events/${doomed.id}`),
        () => either().patch(`/v1/events/${own.id}`, admin.token, { status: 'cancelled' }),
        () => remove(admin, `/v1/items/${olives.id}`),
        () => post(admin, `/v1/events/${own.id}/items`, { title: 'Tea', kind: 'wish', quantityNeeded: 1 }),
        ...others.flatMap((other) => [
          () => post(other, `/v1/users/${person.id}/follow`),
          () => remove(other, `/v1/users/${person.id}/follow`),
          () => post(other, `/v1/items/${olives.id}/claim`, { quantity: 1 }),
          () => remove(other, `/v1/items/${olives.id}/claim`),
          () => post(other, `/v1/events/${own.id}/rsvp`, { status: null }),
          () => post(other, `/v1/events/${own.id}/save`, { saved: true }),
          () => post(other, `/v1/events/${theirs.id}/rsvp`, { status: 'going' }),
          () => post(other, `/v1/items/${wine.id}/claim`, { quantity: 1 }),
        ]),
        () => post(guest, `/v1/users/${person.id}/block`),
        () => remove(guest, `/v1/users/${person.id}/block`),
      ],
      25,
    );
    expectNoFault(answers);
    expectStatus(answers[0] as ApiResponse, 200);
    assert.deepEqual(await findRowsContaining(api.sql, [person.id, own.id]), []);
    await assertCounters(api.sql);
  }
});

test('sign-ins during the deletion: each leads to a living account or to a token that is dead', async () => {
  for (let round = 0; round < 6; round++) {
    const person = await createUser(api);
    const code = await codeOf(person);
    const { body } = expectStatus(
      await api.post('/v1/auth/otp/request', undefined, { phone: person.phone }),
      202,
    );
    const proof = { phone: person.phone, code: body.devCode };
    const answers = await scattered(
      [
        () => leave(person, code),
        () => either().post('/v1/auth/otp/verify', undefined, proof),
        () => either().post('/v1/auth/otp/verify', undefined, proof),
        () => either().post('/v1/auth/otp/request', undefined, { phone: person.phone }),
      ],
      8,
    );
    expectNoFault(answers);
    expectStatus(answers[0] as ApiResponse, 200);
    for (const { status, body } of answers.slice(1, 3)) {
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

test('the same deletion twice at once, with codes asked for meanwhile: once 200, and no code stays behind', async () => {
  for (let round = 0; round < 6; round++) {
    const person = await createUser(api);
    const phone = await signIn(api, person.phone);
    const code = await codeOf(person);
    const answers = await scattered(
      [
        () => leave(person, code),
        () => leave(phone, code),
        () => leave(person, code),
        () => post(phone, '/v1/me/delete-code'),
        () => post(person, '/v1/me/delete-code'),
      ],
      6,
    );
    expectNoFault(answers);
    const done = answers.slice(0, 3).filter(({ status }) => status === 200).length;
    assert.ok(done <= 1);
    // A code that was asked for first makes the one at hand an old one: then nobody is deleted, and theirs stay.
    const phoneHash = hashPhone(secretKey, person.phone).toString('hex');
    if (done === 1) assert.deepEqual(await findRowsContaining(api.sql, [phoneHash, person.id]), []);
    else expectStatus(await api.get('/v1/auth/me', person.token), 200);
    await assertCounters(api.sql);
  }
});

test('six people who are all on each other’s events leave at once: six times 200, and nothing of them stays', async () => {
  for (let round = 0; round < 2; round++) {
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
    const codes = await Promise.all(people.map(codeOf));
    const answers = await Promise.all(people.map((person, i) => leave(person, codes[i] ?? '')));
    for (const answer of answers) expectStatus(answer, 200);
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

/** What images that people sent are used for. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { createEvent, createItem, createUpload, createUser, eventBody } from './factories.ts';
import { assertCounters } from './invariants.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();

const errorPaths = (answer: { body: { errors?: { path: string }[] } }) =>
  answer.body.errors?.map(({ path }) => path);

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('avatar: an upload of one’s own, shown everywhere at once on every server, and null gives the drawn one back', async () => {
  const [person, other] = [await createUser(api, { name: 'Xaviera Portrait' }), await createUser(api)];
  const event = await createEvent(api, person);
  const drawn = (await api.get('/v1/auth/me', person.token)).body.avatar;
  assert.ok(drawn.endsWith('/avatar.svg'));
  const everywhere = async () => {
    const seen = [];
    for (const on of [api, second]) {
      const found = await on.get('/v1/users/search?q=xaviera', other.token);
      const answers = await Promise.all([
        on.get('/v1/auth/me', person.token),
        on.get(`/v1/users/${person.id}`),
        on.get(`/v1/events/${event.id}`),
      ]);
      const [me, profile, record] = answers.map(({ body }) => body);
      seen.push(found.body.data[0].avatar, me.avatar, profile.avatar, record.organizer.avatar);
    }
    return [...new Set(seen)];
  };
  assert.deepEqual(await everywhere(), [drawn]);
  const { id, url } = await createUpload(api, person);
  const changed = expectStatus(await api.patch('/v1/me', person.token, { avatar: url }), 200);
  assert.equal(changed.body.avatar, url);
  assert.deepEqual(await everywhere(), [url]);
  expectStatus(await api.patch('/v1/me', person.token, { city: 'Oslo' }), 200);
  assert.deepEqual(await everywhere(), [url]);
  expectStatus(await api.patch('/v1/me', person.token, { avatar: null }), 200);
  assert.deepEqual(await everywhere(), [drawn]);
  expectStatus(await api.patch('/v1/me', person.token, { avatar: url }), 200);
  expectStatus(await api.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual(await everywhere(), [drawn]);
});

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('avatar: 400 naming it for anything but an upload of one’s own', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const [own, theirs, gone] = [
    await createUpload(api, person),
    await createUpload(api, other),
    await createUpload(api, person),
  ];
  expectStatus(await api.delete(`/v1/uploads/${gone.id}`, person.token), 200);
  const unknown = own.url.replace(own.id, randomUUID());
  const wrong = [
    theirs.url,
    gone.url,
    unknown,
    'https://elsewhere.example/me.png',
    `${own.url}?x`,
    `${own.url}#x`,
    own.url.toUpperCase(),
    own.url.replace('/v1/', '/v1/../v1/'),
    own.url.replace('.webp', '.png'),
    own.id,
    '',
    7,
    {},
  ];
  for (const avatar of wrong) {
    const answer = await api.patch('/v1/me', person.token, { name: 'Changed', avatar });
    expectProblem(answer, 400, 'invalid_request');
    assert.deepEqual(errorPaths(answer), ['avatar'], JSON.stringify(avatar));
  }
  assert.notEqual((await api.get('/v1/auth/me', person.token)).body.name, 'Changed');
});

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('race: an upload that is made the avatar while it is deleted is one of both, never an avatar that is not there', async () => {
  const person = await createUser(api);
  const outcomes = new Set<string>();
  for (let i = 0; i < 25; i++) {
    const { id, url } = await createUpload(api, person);
    const [chosen, gone] = await Promise.all([
      (i % 2 ? api : second).patch('/v1/me', person.token, { avatar: url }),
      second.delete(`/v1/uploads/${id}`, person.token),
    ]);
    expectStatus(gone, 200);
    outcomes.add(`${chosen.status}`);
    for (const on of [api, second]) {
      const { body } = await on.get('/v1/auth/me', person.token);
      assert.ok(body.avatar.endsWith('/avatar.svg'), body.avatar);
    }
  }
  assert.deepEqual(
    [...outcomes].filter((status) => status !== '200' && status !== '400'),
    [],
  );
  await assertCounters(api.sql);
});

// spec: 2.4 POST /v1/uploads, GET /v1/uploads/:id.webp, DELETE /v1/uploads/:id: uploaded images
test('cover and item: the address of an upload is taken and given back', async () => {
  const person = await createUser(api);
  const { url } = await createUpload(api, person);
  const event = expectStatus(
    await api.post('/v1/events', person.token, eventBody({ coverUrl: url })),
    201,
  ).body;
  assert.equal(event.coverUrl, url);
  await createItem(api, person, event.id, { imageUrl: url });
  const { body } = expectStatus(await api.get(`/v1/events/${event.id}/items`), 200);
  assert.equal(body.data[0].imageUrl, url);
});

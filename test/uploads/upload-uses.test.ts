/** Uploaded images as avatars, event covers and item images. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { createEvent, createItem, createUpload, createUser, eventBody } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();

const errorPaths = (response: { body: { errors?: { path: string }[] } }) =>
  response.body.errors?.map(({ path }) => path);

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('avatar: 200 for an upload of the caller, visible immediately on every server; null restores the default avatar', async () => {
  const [person, other] = [await createUser(api, { name: 'Xaviera Portrait' }), await createUser(api)];
  const event = await createEvent(api, person);
  const defaultAvatar = (await api.get('/v1/auth/me', person.token)).body.avatar;
  assert.ok(defaultAvatar.endsWith('/avatar.svg'));
  const visibleAvatars = async () => {
    const avatars = [];
    for (const on of [api, second]) {
      const search = await on.get('/v1/users/search?q=xaviera', other.token);
      const responses = await Promise.all([
        on.get('/v1/auth/me', person.token),
        on.get(`/v1/users/${person.id}`),
        on.get(`/v1/events/${event.id}`),
      ]);
      const [me, profile, record] = responses.map(({ body }) => body);
      avatars.push(search.body.data[0].avatar, me.avatar, profile.avatar, record.organizer.avatar);
    }
    return [...new Set(avatars)];
  };
  assert.deepEqual(await visibleAvatars(), [defaultAvatar]);
  const { id, url } = await createUpload(api, person);
  const changed = expectStatus(await api.patch('/v1/me', person.token, { avatar: url }), 200);
  assert.equal(changed.body.avatar, url);
  assert.deepEqual(await visibleAvatars(), [url]);
  expectStatus(await api.patch('/v1/me', person.token, { city: 'Oslo' }), 200);
  assert.deepEqual(await visibleAvatars(), [url]);
  expectStatus(await api.patch('/v1/me', person.token, { avatar: null }), 200);
  assert.deepEqual(await visibleAvatars(), [defaultAvatar]);
  expectStatus(await api.patch('/v1/me', person.token, { avatar: url }), 200);
  assert.deepEqual(await visibleAvatars(), [url]);
  expectStatus(await api.delete(`/v1/uploads/${id}`, person.token), 200);
  assert.deepEqual(await visibleAvatars(), [defaultAvatar]);
});

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('avatar: 400 naming avatar for any value but the URL of an upload of the caller', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const [own, foreign, deleted] = [
    await createUpload(api, person),
    await createUpload(api, other),
    await createUpload(api, person),
  ];
  expectStatus(await api.delete(`/v1/uploads/${deleted.id}`, person.token), 200);
  const unknown = own.url.replace(own.id, randomUUID());
  const wrong = [
    foreign.url,
    deleted.url,
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
    const response = await api.patch('/v1/me', person.token, { name: 'Changed', avatar });
    expectProblem(response, 400, 'invalid_request');
    assert.deepEqual(errorPaths(response), ['avatar'], JSON.stringify(avatar));
  }
  assert.notEqual((await api.get('/v1/auth/me', person.token)).body.name, 'Changed');
});

// spec: 2.1 PATCH /v1/me: an uploaded avatar
test('race: an upload that is deleted while it becomes the avatar is not the avatar afterwards', async () => {
  const person = await createUser(api);
  const outcomes = new Set<string>();
  for (let i = 0; i < 25; i++) {
    const { id, url } = await createUpload(api, person);
    const [change, deletion] = await Promise.all([
      (i % 2 ? api : second).patch('/v1/me', person.token, { avatar: url }),
      second.delete(`/v1/uploads/${id}`, person.token),
    ]);
    expectStatus(deletion, 200);
    outcomes.add(`${change.status}`);
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
test('cover and item: the URL of an upload is accepted and returned unchanged', async () => {
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

/** The caller's own profile: PATCH /v1/me (spec 4.7, 2.3). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { createUser, type Person } from '../support/factories.ts';
import { assertCounters } from '../support/invariants.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const me = await createUser(api);

const change = (body: object, person: Person = me) => api.patch('/v1/me', person.token, body);
const changed = async (body: object, person: Person = me) =>
  expectStatus(await change(body, person), 200).body;
const current = async (person: Person = me) =>
  expectStatus(await api.get('/v1/auth/me', person.token), 200).body;

async function expectInvalid(body: object, path: string): Promise<void> {
  const before = await current();
  const response = expectProblem(await change(body), 400, 'invalid_request');
  assert.deepEqual(
    response.body.errors.map((error: { path: string }) => error.path),
    [path],
    JSON.stringify(body).slice(0, 200),
  );
  assert.deepEqual(await current(), before);
}

test('me: 401 without a token or with an invalid token', async () => {
  expectProblem(await api.patch('/v1/me', undefined, { name: 'X' }), 401, 'token_missing');
  expectProblem(await api.patch('/v1/me', 'nonsense', { name: 'X' }), 401, 'token_invalid');
});

// spec: 4.7 PATCH /v1/me, GET /v1/auth/me: change the profile, with the response of GET /v1/auth/me
test('me: 200 with all four fields, in the format of GET /v1/auth/me', async () => {
  const fields = {
    name: 'Mara Lindgren',
    username: 'mara.l',
    bio: 'Brings the sourdough.\nAlways.',
    city: 'Gothenburg',
  };
  const before = await current();
  const response = await changed(fields);
  assert.deepEqual(response, { ...before, ...fields });
  assert.deepEqual(await current(), response);
  assert.equal(response.phone, me.phone);
});

// spec: 2.3 PATCH /v1/me: `name`; `username`; `bio`; `city`
test('me: 200 for each field alone; the other fields stay unchanged', async () => {
  for (const fields of [
    { name: 'Other' },
    { username: 'other_1' },
    { bio: 'Other bio' },
    { city: 'Oslo' },
    { isPrivate: true },
    { isPrivate: false },
    {},
  ]) {
    const before = await current();
    assert.deepEqual(await changed(fields), { ...before, ...fields });
    assert.deepEqual(await current(), { ...before, ...fields });
  }
});

// spec: 2.3 PATCH /v1/me: `name`; `bio`; `city`
test('me: 200 up to the maximum length in characters, 400 naming the field above it', async () => {
  for (const [path, limit] of [
    ['name', 80],
    ['bio', 500],
    ['city', 80],
  ] as const) {
    for (const character of ['x', 'é', '🥘']) {
      assert.equal((await changed({ [path]: character.repeat(limit) }))[path], character.repeat(limit));
      await expectInvalid({ [path]: character.repeat(limit + 1) }, path);
    }
  }
  assert.equal((await changed({ name: 'x' })).name, 'x');
  for (const name of ['', ' ', '\u00a0\u2003', '\u200b', 'a\nb', 'a\tb', '\u0007'])
    await expectInvalid({ name }, 'name');
  for (const city of ['a\nb', '\u0007']) await expectInvalid({ city }, 'city');
  const emptied = await changed({ bio: '', city: '' });
  assert.deepEqual([emptied.bio, emptied.city], ['', '']);
});

// spec: 2.3 PATCH /v1/me: `username`
test('me: 200 for a username of 3 to 30 of a–z, 0–9, _ and . with a letter or digit, stored in lower case; 400 for any other username', async () => {
  for (const username of ['abc', 'a'.repeat(30), '__a', '..1', '123', 'Mixed.CASE_9']) {
    assert.equal((await changed({ username })).username, username.toLowerCase());
  }
  for (const username of [
    '',
    'ab',
    '...',
    '___',
    '._.',
    'a'.repeat(31),
    'with space',
    'dash-ed',
    'ünique',
    'abc\n',
    ' abc',
    'İpek',
    'ＦＵＬＬ',
    'a@b',
    'abc🥘',
  ]) {
    await expectInvalid({ username }, 'username');
  }
});

test('me: 409 username_taken naming the field, regardless of letter case; no field of the request is stored', async () => {
  const other = await createUser(api, { username: 'taken_name' });
  const before = await current();
  for (const username of ['taken_name', 'TAKEN_Name']) {
    const response = expectProblem(await change({ username, name: 'Thief' }), 409, 'username_taken');
    assert.deepEqual(
      response.body.errors.map((error: { path: string }) => error.path),
      ['username'],
    );
  }
  assert.deepEqual(await current(), before);
  assert.equal((await current(other)).username, 'taken_name');
});

test('me: 200 for the current username and for a username that another account has released', async () => {
  const [a, b] = [
    await createUser(api, { username: 'swap_a' }),
    await createUser(api, { username: 'swap_b' }),
  ];
  assert.equal((await changed({ username: 'swap_a', city: 'Rome' }, a)).city, 'Rome');
  assert.equal((await changed({ username: 'SWAP_A' }, a)).username, 'swap_a');
  expectProblem(await change({ username: 'swap_b' }, a), 409, 'username_taken');
  await changed({ username: 'swap_c' }, a);
  await changed({ username: 'swap_a' }, b);
  await changed({ username: 'swap_b' }, a);
  assert.deepEqual([(await current(a)).username, (await current(b)).username], ['swap_b', 'swap_a']);
});

// spec: 4.7 PATCH /v1/me, GET /v1/auth/me: change the profile, with the response of GET /v1/auth/me
test('me: 400 naming unknown fields, read-only fields and fields of a wrong type', async () => {
  for (const path of ['id', 'phone', 'role', 'avatar', 'createdAt', 'followersCount', 'Name', 'colour'])
    await expectInvalid({ [path]: 'x' }, path);
  for (const path of ['name', 'username', 'bio', 'city']) {
    for (const value of [null, 1, true, [], ['x'], {}]) await expectInvalid({ [path]: value }, path);
  }
  for (const value of [null, 0, 1, 'true', 'false', '', []])
    await expectInvalid({ isPrivate: value }, 'isPrivate');
});

test('me: 400 without a body', async () => {
  expectProblem(await api.patch('/v1/me', me.token), 400, 'invalid_request');
});

test('me: user search matches only the current name and username', async () => {
  const someone = await createUser(api, { name: 'Before Change', username: 'unchanged' });
  const finds = async (q: string) => {
    const { body } = expectStatus(await api.get(`/v1/users/search?q=${q}`, me.token), 200);
    return body.data.some((entry: { id: string }) => entry.id === someone.id);
  };
  assert.deepEqual([await finds('before'), await finds('after')], [true, false]);
  await changed({ name: 'After Change' }, someone);
  assert.deepEqual(
    [await finds('before'), await finds('unchanged'), await finds('after')],
    [false, true, true],
  );
  await changed({ username: 'renamed' }, someone);
  assert.deepEqual(
    [await finds('before'), await finds('renamed'), await finds('after')],
    [false, true, true],
  );
});

test('me: concurrent changes of different fields are all stored', async () => {
  for (let round = 0; round < often(10, 2); round++) {
    await Promise.all([
      changed({ name: `Name ${round}` }),
      changed({ bio: `Bio ${round}` }),
      changed({ city: `City ${round}` }),
      changed({ username: `user_${round}` }),
    ]);
    const { name, bio, city, username } = await current();
    assert.deepEqual(
      [name, bio, city, username],
      [`Name ${round}`, `Bio ${round}`, `City ${round}`, `user_${round}`],
    );
  }
  await assertCounters(api.sql);
});

test('me: texts with SQL, HTML or template syntax are stored unchanged', async () => {
  const texts = [
    "Robert'); drop table users; --",
    '<script>alert(1)</script>',
    '{{7*7}} $1 %s',
    '\\',
    '"',
    'NULL',
    'ﷺ',
  ];
  for (const text of texts) {
    const { name, bio, city } = await changed({ name: text, bio: text, city: text });
    assert.deepEqual([name, bio, city], [text, text, text]);
  }
});

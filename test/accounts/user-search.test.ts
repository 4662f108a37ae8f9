/** Search for people by name or username (spec 4.1, 2.1). */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, type Person } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const me = await createUser(api, { name: 'Caller', username: 'zz_caller' });

const search = async (q: string, more = '', token = me.token) =>
  expectStatus(await api.get(`/v1/users/search?q=${encodeURIComponent(q)}${more}`, token), 200).body.data;
const names = async (q: string, more = ''): Promise<string[]> =>
  (await search(q, more)).map((person: { name: string }) => person.name);

let n = 0;
/** Creates a person whose generated username matches no query of these tests. */
const person = (name: string, username = `zz__${n++}`, more = {}) =>
  createUser(api, { name, username, ...more });

test('search: 401 without a token', async () => {
  expectProblem(await api.get('/v1/users/search?q=mara'), 401, 'token_missing');
});

// spec: 4.1 GET /v1/users/search: `q`: name or nickname, at least 2 characters
// spec: 8 GET /v1/users/search: user search `q` at least 2 characters
test('search: 400 naming q below two characters, not counting surrounding spaces', async () => {
  for (const q of [
    '',
    'q=',
    'q=a',
    'q=%20%20',
    'q=+a+',
    'q=%C3%A9',
    'q=e%CC%81',
    'q=%C3%9F',
    'q=%CC%81%CC%81',
    'q=%F0%9F%A5%98',
    'q=%C2%A0a',
  ]) {
    const { body } = expectProblem(await api.get(`/v1/users/search?${q}`, me.token), 400, 'invalid_request');
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['q'],
      q,
    );
  }
  expectProblem(await api.get(`/v1/users/search?q=${'a'.repeat(101)}`, me.token), 400, 'invalid_request');
  for (const q of ['ab', ' ab ', 'a b', '李小', '%%', `${'a'.repeat(100)}`])
    assert.ok(Array.isArray(await search(q)));
});

// spec: 4.1 GET /v1/users/search: `limit`: default 10
// spec: 8 GET /v1/users/search: user search `limit` default 10
test('search: 10 people by default; limit is 1 to 50, 400 otherwise', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, i) => person(`Quorum ${i}`)));
  assert.equal((await search('quorum')).length, 10);
  assert.equal((await search('quorum', '&limit=1')).length, 1);
  assert.equal((await search('quorum', '&limit=50')).length, 12);
  for (const limit of ['0', '51', '-1', '1.5', 'x', '']) {
    const { body } = expectProblem(
      await api.get(`/v1/users/search?q=quorum&limit=${limit}`, me.token),
      400,
      'invalid_request',
    );
    assert.deepEqual(
      body.errors.map((error: { path: string }) => error.path),
      ['limit'],
    );
  }
});

// spec: 2.1 GET /v1/users/search: `id`; `name`; `username`; `avatar`; `bio`; `isFollowing`; `hasAccount`
test('search: 200 with every field of the specification', async () => {
  const someone = await person('Hedwig Field', 'hedwig', { bio: 'Cakes.' });
  const [{ avatar, ...entry }, ...rest] = await search('hedwig');
  assert.deepEqual(entry, {
    id: someone.id,
    name: 'Hedwig Field',
    username: 'hedwig',
    hasAccount: true,
    bio: 'Cakes.',
    isFollowing: false,
  });
  assert.deepEqual(rest, []);
  expectStatus(await api.get(new URL(avatar).pathname), 200);
});

// spec: 4.1 GET /v1/users/search: search people, token required; `q`: name or nickname, at least 2 characters
test('search: matches names and usernames regardless of case and accents, in any script', async () => {
  for (const [name, ...queries] of [
    ['Łukasz Żółć', 'lukasz', 'ŁUKASZ', 'zolc', 'żół', 'Lukasz Zolc', 'lukasz  zolc', ' łukasz '],
    ['Renée Strøm', 'renee', 'RENÉE', 'rene\u0301e', 'strom', 'renee strom', 'Str'],
    ['Jürgen Weiß', 'jurgen', 'weiss', 'weiß', 'WEISS'],
    ['İpek Işık', 'ipek', 'isik'],
    ['Αθηνά Παππά', 'αθηνα', 'ΑΘΗΝΑ', 'παπ'],
    ['Наталья Ёлкина', 'наталья', 'НАТ', 'елкина'],
    ['李小龙', '李小', '小龙', '李小龙'],
    ['さくら ももこ', 'さくら', 'もも'],
    ['สมชาย ใจดี', 'สมชาย', 'ใจดี'],
    ['Ｆｕｌｌ Ｗｉｄｔｈ', 'full width', 'ｆｕｌｌ'],
    ['김서연', '김서', '서연', '김서연'],
    ["Conor O'Connell", 'o’connell', "o'connell", 'oʼconnell', 'conor o’c', 'connell'],
    ['D’Angelo Rossi', "d'angelo", 'd‘angelo', 'd’a', 'angelo', "d'angelo r"],
    ['ʻIolani Kaʼahumanu', "'iolani", "ka'ahu", 'kaʼahumanu'],
  ] as const) {
    await person(name);
    for (const q of queries) assert.deepEqual(await names(q), [name], q);
  }
  await person('Nick', 'under_score.dot');
  for (const q of ['under', 'SCORE', 'dot', 'under_score', '_score', 'score.dot'])
    assert.deepEqual(await names(q), ['Nick'], q);
});

test('search: special characters of SQL, LIKE and regular expressions match literally', async () => {
  const odd = [
    '100% Wool',
    "Siobhan O'Neil",
    'Back\\slash',
    'Anne-Marie',
    'A "quoted" one',
    'Dollar$1',
    'x_y_z',
    'semi;colon --',
    '(.*)+',
    '{curly}',
  ];
  for (const name of odd) await person(name);
  for (const [q, expected] of [
    ['100%', '100% Wool'],
    ['% wool', '100% Wool'],
    ["o'neil", "Siobhan O'Neil"],
    ['neil', "Siobhan O'Neil"],
    ["'ne", "Siobhan O'Neil"],
    ['back\\slash', 'Back\\slash'],
    ['slash', 'Back\\slash'],
    ['anne-marie', 'Anne-Marie'],
    ['anne marie', 'Anne-Marie'],
    ['"quoted"', 'A "quoted" one'],
    ['x_y', 'x_y_z'],
    ['semi;', 'semi;colon --'],
    [';colon --', 'semi;colon --'],
    ['{curly}', '{curly}'],
  ] as const) {
    assert.deepEqual(await names(q), [expected], q);
  }
  for (const q of [
    '%%',
    '!!!',
    '(.*)+',
    '__%',
    'w%l',
    'x%z',
    '\\\\',
    '\\%',
    "'; drop table users; --",
    'x.y',
    '.*.*',
    's_mi',
    '%wool%',
  ])
    assert.deepEqual(await names(q), [], q);
});

// spec: 4.1 GET /v1/users/search: search people, token required; `q`: name or nickname, at least 2 characters
test('search: two characters match the start of a word only, three match anywhere', async () => {
  await person('Gwendolyn', 'gwxyzzy');
  for (const q of ['gw', 'gwe', 'end', 'doly', 'lyn', 'xyz', 'zzy'])
    assert.deepEqual(await names(q), ['Gwendolyn'], q);
  for (const q of ['en', 'yn', 'xy', 'zy']) assert.deepEqual(await names(q), [], q);
});

test('search: ranks equal username, start of username, start of name, start of another word, then any position', async () => {
  const expected = [
    'Exact',
    'Start of username',
    'Trillian Zed',
    'Trillian Abe',
    'Arthur Trillian',
    'Untrillianed',
  ];
  await person('Untrillianed', 'zz_anywhere');
  await person('Arthur Trillian', 'zz_word');
  await person('Trillian Zed', 'zz_name');
  await person('Trillian Abe', 'zz_name_2');
  await person('Start of username', 'trillian.a');
  await person('Exact', 'trillian');
  assert.deepEqual(await names('trillian'), expected);
  for (const limit of [1, 2, 3, 4, 5, 6])
    assert.deepEqual(await names('TRILLIAN', `&limit=${limit}`), expected.slice(0, limit));
});

test('search: several words rank by the start of the name, then of another word, then any position', async () => {
  await person('Marvin Android', 'zz_d');
  await person('Smarvin Android', 'zz_a');
  await person('The Marvin Android', 'zz_c');
  const expected = ['Marvin Android', 'The Marvin Android', 'Smarvin Android'];
  for (const limit of [1, 2, 3])
    assert.deepEqual(await names('marvin  andr', `&limit=${limit}`), expected.slice(0, limit));
});

test('search: people of equal rank are ordered by username, in the same order for every limit', async () => {
  for (const username of ['sm_c', 'sm_a', 'sm_e', 'sm_b', 'sm_d']) await person('Smilla Same', username);
  const usernames = async (limit: number) =>
    (await search('smilla', `&limit=${limit}`)).map((entry: { username: string }) => entry.username);
  for (const limit of [5, 3, 5, 1])
    assert.deepEqual(await usernames(limit), ['sm_a', 'sm_b', 'sm_c', 'sm_d', 'sm_e'].slice(0, limit));
});

test('search: the first of many whose username starts with the term, without blocked people, for every limit', async () => {
  const hidden = await person('Hidden', 'quark_b');
  for (const username of ['quark_d', 'quark_a', 'quark', 'quark_c']) await person('Someone', username);
  await person('Quark Strange', 'zz_quark');
  expectStatus(await api.post(`/v1/users/${hidden.id}/block`, me.token), 200);
  const expected = ['quark', 'quark_a', 'quark_c', 'quark_d', 'zz_quark'];
  for (const limit of [1, 2, 3, 4, 5, 6]) {
    const found = await search('QUARK', `&limit=${limit}`);
    assert.deepEqual(
      found.map((entry: { username: string }) => entry.username),
      expected.slice(0, limit),
    );
  }
});

// spec: 4.1 GET /v1/users/search: blocks in either direction remove people from the result
test('search: a block hides both people from each other until it is removed', async () => {
  const [a, b] = [await person('Blockwart One'), await person('Blockwart Two')];
  const visibleIds = async (caller: Person) =>
    (await search('blockwart', '', caller.token)).map((entry: { id: string }) => entry.id).sort();
  const bothIds = [a.id, b.id].sort();
  assert.deepEqual(
    [await visibleIds(a), await visibleIds(b), await visibleIds(me)],
    [bothIds, bothIds, bothIds],
  );
  expectStatus(await api.post(`/v1/users/${b.id}/block`, a.token), 200);
  assert.deepEqual(
    [await visibleIds(a), await visibleIds(b), await visibleIds(me)],
    [[a.id], [b.id], bothIds],
  );
  expectStatus(await api.post(`/v1/users/${a.id}/block`, b.token), 200);
  expectStatus(await api.delete(`/v1/users/${b.id}/block`, a.token), 200);
  assert.deepEqual([await visibleIds(a), await visibleIds(b)], [[a.id], [b.id]]);
  expectStatus(await api.delete(`/v1/users/${a.id}/block`, b.token), 200);
  assert.deepEqual([await visibleIds(a), await visibleIds(b)], [bothIds, bothIds]);
});

test('search: blocked people do not count towards limit', async () => {
  const crowd = await Promise.all(Array.from({ length: 6 }, (_, i) => person(`Roomie ${i}`, `roomie_${i}`)));
  for (const one of crowd.slice(0, 3))
    expectStatus(await api.post(`/v1/users/${one.id}/block`, me.token), 200);
  assert.deepEqual(await names('roomie', '&limit=3'), ['Roomie 3', 'Roomie 4', 'Roomie 5']);
});

test('search: isFollowing is true if the caller follows the person, not in the reverse direction', async () => {
  const [a, b] = [await person('Follow Fan'), await person('Follow Star')];
  expectStatus(await api.post(`/v1/users/${b.id}/follow`, a.token), 200);
  const flags = async (caller: Person) =>
    Object.fromEntries(
      (await search('follow', '', caller.token)).map((entry: { name: string; isFollowing: boolean }) => [
        entry.name,
        entry.isFollowing,
      ]),
    );
  assert.deepEqual(await flags(a), { 'Follow Fan': false, 'Follow Star': true });
  assert.deepEqual(await flags(b), { 'Follow Fan': false, 'Follow Star': false });
});

test('search: a private profile is found, with an empty bio', async () => {
  const someone = await person('Secretive Sam', 'sam.secret', { bio: 'Nobody must know.', isPrivate: true });
  for (const token of [me.token, someone.token]) {
    const [entry] = await search('secretive', '', token);
    assert.deepEqual([entry.name, entry.username, entry.bio], ['Secretive Sam', 'sam.secret', '']);
  }
});

test('search: bio, city, phone and id of a person do not match', async () => {
  await person('Plain', 'plain.one', { bio: 'unfindablebio' });
  expectStatus(await api.patch('/v1/me', me.token, { city: 'Unfindabletown' }), 200);
  for (const q of ['unfindable', me.phone, me.phone.slice(2), me.id.slice(0, 8)])
    assert.deepEqual(await names(q), [], q);
});

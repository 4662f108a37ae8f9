/** Names, usernames and titles that could pass for other people or reorder the text around them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { isReservedUsername } from '../../src/modules/accounts/profile/reserved-usernames.ts';
import { expectFieldError } from '../operations/openapi-operations.ts';
import { calendar, calendarEntry, createImporter, errorsOf } from '../support/calendar-files.ts';
import { createEvent, createItem, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { importForNewUser } = createImporter(api);
const me = await createUser(api);
const change = (fields: object) => api.patch('/v1/me', me.token, fields);
const code = (character: string) => `U+${character.codePointAt(0)?.toString(16)}`;

const bidiControls = [...'\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'];
const wrapped = bidiControls.join('a');

test('username: 409 username_taken for reserved names, regardless of case, punctuation and digits at the end', async () => {
  for (const username of [
    'admin',
    'Support',
    'mod',
    'potluck',
    'null',
    'you',
    'a.d_min',
    '_root_',
    'admin1',
    'help_2',
  ]) {
    const { body } = expectProblem(await change({ username }), 409, 'username_taken');
    assert.deepEqual(body.errors, [{ path: 'username', rule: 'reserved', message: 'is reserved' }], username);
  }
  for (const username of ['administer', 'helper', '2admin', 'mod.rick', '123'])
    expectStatus(await change({ username }), 200);
});

test('username: an account that has a reserved name keeps it and can change other fields', async () => {
  const { id, token, username } = await createUser(api);
  await api.sql`insert into usernames (username, user_id) values ('support', ${id})`;
  await api.sql`delete from usernames where username = ${username}`;
  await api.sql`update users set username = 'support' where id = ${id}`;
  const { body } = expectStatus(await api.patch('/v1/me', token, { username: 'Support', city: 'Oslo' }), 200);
  assert.deepEqual([body.username, body.city], ['support', 'Oslo']);
});

test('username: generated names are never reserved', () => {
  for (const end of ['000000', '123456', 'admin0', 'aaaaaa'])
    assert.equal(isReservedUsername(`guest_${end}`), false);
});

test('name: 400 for controls of the writing direction and other format characters', async () => {
  const others = [...'\u00ad\u061c\u180e\u200b\u200e\u200f\u2060\u2063\u206a\ufeff\ufff9\u{e0061}'];
  for (const character of [...bidiControls, ...others])
    for (const name of [`${character}Mara`, `Ma${character}ra`, `Mara${character}`])
      expectFieldError(await change({ name }), 'name', code(character));
});

test('name: joiners are valid where a script or an emoji needs them, and a 400 elsewhere', async () => {
  for (const name of [
    'می\u200cخواهم',
    'क्\u200dष',
    'ශ්\u200dරී',
    'അവന്\u200d',
    'Mara 👩‍🚀',
    '👩‍👩‍👧‍👦',
    '🏳️‍🌈',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿 Kim',
  ])
    assert.equal(expectStatus(await change({ name }), 200).body.name, name);
  for (const name of [
    'ad\u200dmin',
    'ad\u200cmin',
    '\u200dMara',
    'Mara\u200c',
    'م\u200c',
    'ا\u200d\u200dب',
    '👩\u200d',
    '🏴\u{e0067}x',
  ])
    expectFieldError(await change({ name }), 'name', JSON.stringify(name));
});

test('lines: U+2028 and U+2029 are line breaks: 400 in names, titles, cities and addresses', async () => {
  const event = await createEvent(api, me);
  for (const text of ['a\u2028b', 'a\u2029', '\u2028a']) {
    expectFieldError(await change({ name: text }), 'name', 'name');
    expectFieldError(await change({ city: text }), 'city', 'city');
    const patch = (fields: object) => api.patch(`/v1/events/${event.id}`, me.token, fields);
    expectFieldError(await patch({ title: text }), 'title', 'title');
    const location = { address: text, lat: 1, lng: 1 };
    expectFieldError(await patch({ location }), 'location.address', 'address');
    const item = { title: text, kind: 'bring', quantityNeeded: 1 };
    expectFieldError(await api.post(`/v1/events/${event.id}/items`, me.token, item), 'title', 'item');
  }
});

test('lines: controls of the writing direction are removed from titles, addresses and cities; marks stay', async () => {
  const text = `x${wrapped}\u200e\u200fx`;
  const plain = `x${'a'.repeat(bidiControls.length - 1)}\u200e\u200fx`;
  const location = { address: text, lat: 1, lng: 1 };
  const event = await createEvent(api, me, { title: text, description: text, location });
  assert.deepEqual([event.title, event.location.address, event.description], [plain, plain, text]);
  assert.equal((await createItem(api, me, event.id, { title: text })).title, plain);
  assert.equal(expectStatus(await change({ city: text }), 200).body.city, plain);
  const batch = { items: [{ title: text, kind: 'bring', quantityNeeded: 1 }] };
  const added = expectStatus(await api.post(`/v1/events/${event.id}/items/batch`, me.token, batch), 201);
  assert.equal(added.body.data[0].title, plain);
  expectFieldError(
    await api.patch(`/v1/events/${event.id}`, me.token, { title: '\u202e\u2067' }),
    'title',
    'nothing visible',
  );
});

test('invisible: 400 for a title, an item and a name of characters that fonts show as nothing, and for a name with blank letters', async () => {
  const event = await createEvent(api, me);
  // The fillers of Hangul, the empty pattern of Braille, and others that Unicode lets fonts ignore.
  for (const blank of [
    '\u3164',
    '\u2800',
    '\uffa0',
    '\u115f\u1160',
    '\u034f',
    '\ufe0f',
    '\u3164 \u200b\u2800',
  ]) {
    const title = await api.patch(`/v1/events/${event.id}`, me.token, { title: blank });
    expectFieldError(title, 'title', code(blank));
    const item = { title: blank, kind: 'bring', quantityNeeded: 1 };
    expectFieldError(await api.post(`/v1/events/${event.id}/items`, me.token, item), 'title', code(blank));
    expectFieldError(await change({ name: blank }), 'name', code(blank));
  }
  for (const name of ['Mara\u3164', 'Ma\u2800ra', '\u115fMara', 'Mara\u034f'])
    expectFieldError(await change({ name }), 'name', code(name));
  for (const name of ['김서연', 'Mara ❤️', 'ᠮᠣᠩᠭᠣᠯ', '邊󠄁見']) expectStatus(await change({ name }), 200);
});

test('emoji: 400 for a control of the writing direction and other invisible characters', async () => {
  const event = await createEvent(api, me);
  for (const emoji of ['\u202e', '\u2067', '\u200b', '\u2028', '\u3164', '\u2800']) {
    const item = { title: 'Bread', kind: 'bring', quantityNeeded: 1, emoji };
    expectFieldError(await api.post(`/v1/events/${event.id}/items`, me.token, item), 'emoji', code(emoji));
  }
});

test('import: controls of the writing direction are removed from titles and addresses, line separators become spaces', async () => {
  const { report, events } = await importForNewUser(
    calendar(
      calendarEntry({ SUMMARY: '\u202eSourdough\u2028evening\u2069', LOCATION: '\u2066Oslo\u2069' }),
      calendarEntry({ SUMMARY: '\u202e\u2069' }),
    ),
  );
  assert.deepEqual(
    events.map(({ title, location }) => [title, location.address]),
    [['Sourdough evening', 'Oslo']],
  );
  assert.deepEqual(errorsOf(report), [[12, 'has no SUMMARY']]);
});

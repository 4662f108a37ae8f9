/** A person's own calendar: the secret address, what is behind it, and when it ends. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { loggedPath, loggerOptions } from '../src/http/logging.ts';
import { eventsIn, titlesIn } from './calendar-parsing.ts';
import { takeSnapshot } from './database-snapshots.ts';
import { createAdmin, createEvent, createUser, deleteAccount, inDays, type Person } from './factories.ts';
import { type ApiResponse, expectProblem, expectStatus, startTestApp, type TestApp } from './setup.ts';

const api = await startTestApp();
const second = await api.another();

/** Makes the address and gives its path. */
async function address(person: Person, on: TestApp = api): Promise<string> {
  const { body } = expectStatus(await on.post('/v1/me/calendar', person.token), 201);
  assert.deepEqual(Object.keys(body), ['url']);
  const { origin, pathname } = new URL(body.url);
  assert.equal(origin, 'http://127.0.0.1:0');
  return pathname;
}

const expectNone = (answer: ApiResponse) => expectProblem(answer, 404, 'calendar_not_found');
const state = async (person: Person) =>
  expectStatus(await api.get('/v1/me/calendar', person.token), 200).body;
const answer = async (person: Person, id: string, status: 'going' | 'interested' | null) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
const save = async (person: Person, id: string, saved: boolean) =>
  expectStatus(await api.post(`/v1/events/${id}/save`, person.token, { saved }), 200);

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 201 with an address that is shown once, and GET says that there is one', async () => {
  const person = await createUser(api);
  assert.deepEqual(await state(person), { exists: false, createdAt: null });
  const before = Date.now();
  const path = await address(person);
  assert.match(path, /^\/v1\/calendars\/pc_[\w-]{54}\.ics$/);
  const { exists, createdAt, ...rest } = await state(person);
  assert.deepEqual([exists, rest], [true, {}]);
  assert.ok(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
  for (const method of ['GET', 'POST', 'DELETE'])
    expectProblem(await api.call(method, '/v1/me/calendar'), 401, 'token_missing');
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: what its owner organizes, answered, saved or booked, each once, by start', async () => {
  const [person, other] = [await createUser(api), await createUser(api, { name: 'Somebody else' })];
  const on = (title: string, days: number) => ({ title, startAt: inDays(days), endAt: inDays(days, 2) });
  const going = await createEvent(api, other, on('Going', 4));
  const interested = await createEvent(api, other, on('Interested', 3));
  const saved = await createEvent(api, other, { ...on('Saved', 2), visibility: 'unlisted' });
  await createEvent(api, other, on('Nothing to do with it', 1));
  await createEvent(api, person, { ...on('Own draft', 5), visibility: 'private' });
  await createEvent(api, person, { ...on('Own', 1), timezone: 'Europe/Oslo' });
  await answer(person, going.id, 'going');
  await save(person, going.id, true);
  await answer(person, interested.id, 'interested');
  await save(person, saved.id, true);
  const modules = { capacity: 1, enabledModules: ['booking'] };
  const booked = await createEvent(api, other, { ...on('Booked', 6), ...modules });
  const full = await createEvent(api, other, { ...on('Waiting', 7), ...modules });
  const book = async (who: Person, id: string) =>
    expectStatus(await api.post(`/v1/events/${id}/booking`, who.token, { seats: 1, waitlist: true }), 201);
  for (const [who, { id }] of [
    [person, booked],
    [other, full],
    [person, full],
  ] as const)
    await book(who, id);
  const path = await address(person);
  const titles = ['Own', 'Saved', 'Interested', 'Going', 'Own draft', 'Booked'];
  for (const on of [api, second]) assert.deepEqual(titlesIn(await on.get(path)), titles);
  const text: string = (await api.get(path)).body;
  assert.match(text, /X-WR-CALNAME:Potluck\r\n/);
  assert.match(text, /REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n/);
  assert.match(text, /ORGANIZER;CN="Somebody else":/);
  assert.match(text, /BEGIN:VTIMEZONE\r\nTZID:Europe\/Oslo\r\n/);
  // What is taken back is gone at the next look.
  await answer(person, interested.id, null);
  await save(person, saved.id, false);
  expectStatus(await api.delete(`/v1/events/${going.id}`, other.token), 200);
  assert.deepEqual(titlesIn(await second.get(path)), ['Own', 'Own draft', 'Booked']);
  expectStatus(await api.delete(`/v1/events/${full.id}/booking`, other.token), 200);
  assert.deepEqual(titlesIn(await second.get(path)), ['Own', 'Own draft', 'Booked', 'Waiting']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: nothing that its owner may no longer see; admins see drafts while they are admins', async () => {
  const [person, admin, organizer] = [await createUser(api), await createAdmin(api), await createUser(api)];
  const event = await createEvent(api, organizer, { title: 'Closed later' });
  for (const each of [person, admin]) await answer(each, event.id, 'going');
  const [path, adminPath] = [await address(person), await address(admin)];
  assert.deepEqual(titlesIn(await api.get(path)), ['Closed later']);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  assert.deepEqual(titlesIn(await api.get(path)), []);
  assert.deepEqual(titlesIn(await api.get(adminPath)), ['Closed later']);
});

test('own calendar: from 90 days ago on; a cancelled event stays and says so', async () => {
  const person = await createUser(api);
  const at = (title: string, days: number, hours: number) =>
    createEvent(api, person, { title, startAt: inDays(days - 1), endAt: inDays(days, hours) });
  await at('Too long ago', -90, -1);
  await at('Just within', -90, 1);
  const off = await at('Off', 5, 0);
  expectStatus(await api.patch(`/v1/events/${off.id}`, person.token, { status: 'cancelled' }), 200);
  const events = eventsIn(await api.get(await address(person)));
  assert.deepEqual(
    events.map(({ summary, status, sequence }) => [summary, status, Number(sequence)]),
    [
      ['Just within', 'CONFIRMED', 0],
      ['Off', 'CANCELLED', 1],
    ],
  );
});

test('own calendar: at most 500 events, the first by start', async () => {
  const person = await createUser(api);
  const event = await createEvent(api, person, { title: 'Many 0' });
  await api.sql`
    insert into events select (e).* from (
      select jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid(), 'title', 'Many ' || n,
        'end_at', e.end_at + n * interval '1 minute', 'start_at', e.start_at + n * interval '1 minute')) as e
      from events e, generate_series(1, 510) n where e.id = ${event.id}) s`;
  await api.sql`
    insert into event_counters (event_id, rsvp_count, going_count, last_item)
    select id, 0, 0, 0 from events e where not exists (select 1 from event_counters c where c.event_id = e.id)`;
  const titles = titlesIn(await api.get(await address(person)));
  assert.deepEqual([titles.length, titles[0], titles[499]], [500, 'Many 0', 'Many 499']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: a new address ends the one before, DELETE ends it, on every server at once; twice is once', async () => {
  const person = await createUser(api);
  const first = await address(person);
  expectStatus(await second.get(first), 200);
  const next = await address(person);
  expectNone(await second.get(first));
  expectStatus(await second.get(next), 200);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await api.delete('/v1/me/calendar', person.token), 200).body, {
      success: true,
    });
  expectNone(await second.get(next));
  assert.deepEqual(await state(person), { exists: false, createdAt: null });
});

test('own calendar: of twenty addresses made at once on two servers one holds', async () => {
  const person = await createUser(api);
  const paths = await Promise.all(
    Array.from({ length: 20 }, (_, i) => address(person, i % 2 ? second : api)),
  );
  assert.equal(new Set(paths).size, 20);
  const answers = await Promise.all(paths.map((path) => api.get(path)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  assert.equal(answers.filter(({ status }) => status === 404).length, 19);
});

test('own calendar: the same Idempotency-Key gives the same address', async () => {
  const person = await createUser(api);
  const headers = { 'idempotency-key': '"a-calendar"' };
  const make = (on: TestApp) => on.call('POST', '/v1/me/calendar', { token: person.token, headers });
  const [first, again] = [expectStatus(await make(api), 201), expectStatus(await make(second), 201)];
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  expectStatus(await api.get(new URL(first.body.url).pathname), 200);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 404 for every address but the very one', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const path = await address(person);
  await address(other);
  const secret = path.slice('/v1/calendars/'.length, -'.ics'.length);
  const bytes = Buffer.from(secret.slice(3), 'base64url');
  const spelled = (change: (bytes: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    change(copy);
    return `pc_${copy.toString('base64url')}`;
  };
  const others = [
    spelled((copy) => copy.writeUInt8(copy.readUInt8(39) ^ 1, 39)),
    spelled((copy) => copy.writeUInt8(copy.readUInt8(16) ^ 1, 16)),
    spelled((copy) => Buffer.from(other.id.replaceAll('-', ''), 'hex').copy(copy)),
    spelled((copy) => copy.fill(0, 0, 16)),
    // The spare bits of the last character.
    secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A'),
    `${secret}A`,
    secret.slice(0, -1),
    secret.slice(3),
    `pa_${secret.slice(3)}`,
    secret.toUpperCase(),
    person.token,
    'pc_',
    'x',
    'pc_%00',
    '%2e%2e',
    'x'.repeat(5_000),
  ];
  for (const wrong of others) expectNone(await api.get(`/v1/calendars/${wrong}.ics`));
  for (const tail of ['', '.ICS', '.icsx', '.ics/x'])
    expectProblem(await api.get(`/v1/calendars/${secret}${tail}`), 404, 'route_not_found');
  // The header is not read.
  expectStatus(await api.get(path, 'pa_x'), 200);
});

test('own calendar: no cache may keep it, and whoever has the same is told so', async () => {
  const person = await createUser(api);
  const path = await address(person);
  const { headers } = await api.get(path);
  assert.deepEqual(
    ['cache-control', 'content-disposition'].map((name) => headers.get(name)),
    ['private, no-store', 'inline; filename="potluck.ics"'],
  );
  const again = await fetch(api.url + path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  assert.deepEqual([again.status, again.headers.get('cache-control')], [304, 'private, no-store']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: the address dies with the account, on every server', async () => {
  const person = await createUser(api);
  const path = await address(person);
  expectStatus(await deleteAccount(api, person), 200);
  expectNone(await second.get(path));
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: while its owner is suspended there is none, and while an organizer is their events are in none', async () => {
  const [person, guest, admin] = [await createUser(api), await createUser(api), await createAdmin(api)];
  const event = await createEvent(api, person, { title: 'Of somebody suspended' });
  for (const each of [guest, admin]) await answer(each, event.id, 'going');
  const [path, guestPath, adminPath] = [await address(person), await address(guest), await address(admin)];
  const suspension = `/v1/admin/users/${person.id}/suspend`;
  const single = `/v1/events/${event.id}/calendar.ics`;
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  expectNone(await second.get(path));
  assert.deepEqual(titlesIn(await second.get(guestPath)), []);
  assert.deepEqual(titlesIn(await second.get(adminPath)), [event.title]);
  assert.deepEqual(titlesIn(await second.get('/v1/events.ics?q=suspended')), []);
  expectProblem(await second.get(single, guest.token), 404, 'event_not_found');
  expectStatus(await api.delete(suspension, admin.token), 200);
  for (const each of [path, guestPath, single])
    assert.deepEqual(titlesIn(await second.get(each)), [event.title]);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: the secret is in no table and no log', async () => {
  const person = await createUser(api);
  const path = await address(person);
  const secret = path.slice('/v1/calendars/'.length, -'.ics'.length);
  const stored = JSON.stringify(await takeSnapshot(api.sql));
  const spellings = [secret, secret.slice(3), Buffer.from(secret).toString('hex')];
  for (const text of [...spellings, Buffer.from(secret.slice(3), 'base64url').toString('hex')])
    assert.ok(!stored.includes(text), text);

  const logged = loggerOptions({ logLevel: 'info', production: true } as Parameters<typeof loggerOptions>[0]);
  const { serializers } = logged as {
    serializers: { req: (request: { method: string; url: string }) => unknown };
  };
  assert.deepEqual(serializers.req({ method: 'GET', url: path }), { method: 'GET', path: '/v1/calendars/…' });
  for (const url of [
    `${path}?x=1`,
    path.replace('calendars', '%63alendars'),
    `${path}/%zz`,
    `//v1/Calendars/${secret}`,
  ])
    assert.ok(!loggedPath(url).includes(secret.slice(3, 20)), url);
  assert.equal(loggedPath('/v1/events.ics?q=secret'), '/v1/events.ics');
});

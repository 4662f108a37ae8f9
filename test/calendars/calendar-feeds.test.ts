/** The personal calendar feed: its secret URL, its contents, and its deletion. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { loggedPath, loggerOptions } from '../../src/http/logging.ts';
import { takeSnapshot } from '../support/database-snapshots.ts';
import {
  createAdmin,
  createEvent,
  createUser,
  deleteAccount,
  inDays,
  type Person,
} from '../support/factories.ts';
import { openGatedDatabase } from '../support/gated-database.ts';
import {
  type ApiResponse,
  expectProblem,
  expectStatus,
  startTestApp,
  type TestApp,
} from '../support/setup.ts';
import { eventsIn, titlesIn } from './calendar-parsing.ts';

const api = await startTestApp();
const second = await api.startAnother();

/** Creates the feed and returns the path of its URL. */
async function createFeed(person: Person, server: TestApp = api): Promise<string> {
  const { body } = expectStatus(await server.post('/v1/me/calendar', person.token), 201);
  assert.deepEqual(Object.keys(body), ['url']);
  const { origin, pathname } = new URL(body.url);
  assert.equal(origin, 'http://127.0.0.1:0');
  return pathname;
}

const expectNoFeed = (response: ApiResponse) => expectProblem(response, 404, 'calendar_not_found');
const feedState = async (person: Person) =>
  expectStatus(await api.get('/v1/me/calendar', person.token), 200).body;
const setRsvp = async (person: Person, id: string, status: 'going' | 'interested' | null) =>
  expectStatus(await api.post(`/v1/events/${id}/rsvp`, person.token, { status }), 200);
const save = async (person: Person, id: string, saved: boolean) =>
  expectStatus(await api.post(`/v1/events/${id}/save`, person.token, { saved }), 200);

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 201 with a URL that is in this response only; GET has exists and createdAt', async () => {
  const person = await createUser(api);
  assert.deepEqual(await feedState(person), { exists: false, createdAt: null });
  const before = Date.now();
  const path = await createFeed(person);
  assert.match(path, /^\/v1\/calendars\/pc_[\w-]{54}\.ics$/);
  const { exists, createdAt, ...rest } = await feedState(person);
  assert.deepEqual([exists, rest], [true, {}]);
  assert.ok(Date.parse(createdAt) >= before && Date.parse(createdAt) <= Date.now());
  for (const method of ['GET', 'POST', 'DELETE'])
    expectProblem(await api.call(method, '/v1/me/calendar'), 401, 'token_missing');
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 200 with the events that its owner organizes, saved, booked or has an RSVP for, each once, by start', async () => {
  const [person, other] = [await createUser(api), await createUser(api, { name: 'Somebody else' })];
  const fieldsOf = (title: string, days: number) => ({
    title,
    startAt: inDays(days),
    endAt: inDays(days, 2),
  });
  const going = await createEvent(api, other, fieldsOf('Going', 4));
  const interested = await createEvent(api, other, fieldsOf('Interested', 3));
  const saved = await createEvent(api, other, { ...fieldsOf('Saved', 2), visibility: 'unlisted' });
  await createEvent(api, other, fieldsOf('Unrelated', 1));
  await createEvent(api, person, { ...fieldsOf('Own draft', 5), visibility: 'private' });
  await createEvent(api, person, { ...fieldsOf('Own', 1), timezone: 'Europe/Oslo' });
  await setRsvp(person, going.id, 'going');
  await save(person, going.id, true);
  await setRsvp(person, interested.id, 'interested');
  await save(person, saved.id, true);
  const modules = { capacity: 1, enabledModules: ['booking'] };
  const booked = await createEvent(api, other, { ...fieldsOf('Booked', 6), ...modules });
  const full = await createEvent(api, other, { ...fieldsOf('Waiting', 7), ...modules });
  const book = async (guest: Person, id: string) =>
    expectStatus(await api.post(`/v1/events/${id}/booking`, guest.token, { seats: 1, waitlist: true }), 201);
  for (const [guest, { id }] of [
    [person, booked],
    [other, full],
    [person, full],
  ] as const)
    await book(guest, id);
  const path = await createFeed(person);
  const titles = ['Own', 'Saved', 'Interested', 'Going', 'Own draft', 'Booked'];
  for (const on of [api, second]) assert.deepEqual(titlesIn(await on.get(path)), titles);
  const text: string = (await api.get(path)).body;
  assert.match(text, /X-WR-CALNAME:Potluck\r\n/);
  assert.match(text, /REFRESH-INTERVAL;VALUE=DURATION:PT1H\r\nX-PUBLISHED-TTL:PT1H\r\n/);
  assert.match(text, /ORGANIZER;CN="Somebody else":/);
  assert.match(text, /BEGIN:VTIMEZONE\r\nTZID:Europe\/Oslo\r\n/);
  // The next response omits events whose RSVP or save was removed, and deleted events.
  await setRsvp(person, interested.id, null);
  await save(person, saved.id, false);
  expectStatus(await api.delete(`/v1/events/${going.id}`, other.token), 200);
  assert.deepEqual(titlesIn(await second.get(path)), ['Own', 'Own draft', 'Booked']);
  expectStatus(await api.delete(`/v1/events/${full.id}/booking`, other.token), 200);
  assert.deepEqual(titlesIn(await second.get(path)), ['Own', 'Own draft', 'Booked', 'Waiting']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: no event that its owner can no longer see; private events only for organizers and admins', async () => {
  const [person, admin, organizer] = [await createUser(api), await createAdmin(api), await createUser(api)];
  const event = await createEvent(api, organizer, { title: 'Closed later' });
  for (const each of [person, admin]) await setRsvp(each, event.id, 'going');
  const [path, adminPath] = [await createFeed(person), await createFeed(admin)];
  assert.deepEqual(titlesIn(await api.get(path)), ['Closed later']);
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  assert.deepEqual(titlesIn(await api.get(path)), []);
  assert.deepEqual(titlesIn(await api.get(adminPath)), ['Closed later']);
});

test('own calendar: no event that becomes private after the list of events was read', async () => {
  const [person, organizer] = [await createUser(api), await createUser(api)];
  const event = await createEvent(api, organizer);
  await setRsvp(person, event.id, 'going');
  const path = await createFeed(person);
  const gated = openGatedDatabase(api.target);
  const reader = await api.startAnother({ sql: gated.sql });
  const { isRead, open } = gated.holdNextRead(/select e\.id from events e\s+where e\.id in/);
  const reading = reader.get(path);
  await isRead;
  expectStatus(await api.patch(`/v1/events/${event.id}`, organizer.token, { visibility: 'private' }), 200);
  open();
  assert.deepEqual(titlesIn(await reading), []);
});

test('own calendar: events that ended at most 90 days ago; a cancelled event has STATUS:CANCELLED', async () => {
  const person = await createUser(api);
  const createEndingAt = (title: string, days: number, hours: number) =>
    createEvent(api, person, { title, startAt: inDays(days - 1), endAt: inDays(days, hours) });
  await createEndingAt('Too long ago', -90, -1);
  await createEndingAt('Just within', -90, 1);
  const cancelled = await createEndingAt('Off', 5, 0);
  expectStatus(await api.patch(`/v1/events/${cancelled.id}`, person.token, { status: 'cancelled' }), 200);
  const events = eventsIn(await api.get(await createFeed(person)));
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
  const titles = titlesIn(await api.get(await createFeed(person)));
  assert.deepEqual([titles.length, titles[0], titles[499]], [500, 'Many 0', 'Many 499']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: a new URL or a DELETE ends the previous URL at once on every server; DELETE is idempotent', async () => {
  const person = await createUser(api);
  const first = await createFeed(person);
  expectStatus(await second.get(first), 200);
  const next = await createFeed(person);
  expectNoFeed(await second.get(first));
  expectStatus(await second.get(next), 200);
  for (let i = 0; i < 2; i++)
    assert.deepEqual(expectStatus(await api.delete('/v1/me/calendar', person.token), 200).body, {
      success: true,
    });
  expectNoFeed(await second.get(next));
  assert.deepEqual(await feedState(person), { exists: false, createdAt: null });
});

test('own calendar: of 20 URLs created concurrently on two servers one is valid', async () => {
  const person = await createUser(api);
  const paths = await Promise.all(
    Array.from({ length: 20 }, (_, i) => createFeed(person, i % 2 ? second : api)),
  );
  assert.equal(new Set(paths).size, 20);
  const responses = await Promise.all(paths.map((path) => api.get(path)));
  assert.equal(responses.filter(({ status }) => status === 200).length, 1);
  assert.equal(responses.filter(({ status }) => status === 404).length, 19);
});

test('own calendar: the same Idempotency-Key returns the same URL', async () => {
  const person = await createUser(api);
  const headers = { 'idempotency-key': '"a-calendar"' };
  const createWithKey = (server: TestApp) =>
    server.call('POST', '/v1/me/calendar', { token: person.token, headers });
  const [first, again] = [
    expectStatus(await createWithKey(api), 201),
    expectStatus(await createWithKey(second), 201),
  ];
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  expectStatus(await api.get(new URL(first.body.url).pathname), 200);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 404 for every variation of the secret', async () => {
  const [person, other] = [await createUser(api), await createUser(api)];
  const path = await createFeed(person);
  await createFeed(other);
  const secret = path.slice('/v1/calendars/'.length, -'.ics'.length);
  const bytes = Buffer.from(secret.slice(3), 'base64url');
  const modifiedSecret = (change: (bytes: Buffer) => void) => {
    const copy = Buffer.from(bytes);
    change(copy);
    return `pc_${copy.toString('base64url')}`;
  };
  const invalidSecrets = [
    modifiedSecret((copy) => copy.writeUInt8(copy.readUInt8(39) ^ 1, 39)),
    modifiedSecret((copy) => copy.writeUInt8(copy.readUInt8(16) ^ 1, 16)),
    modifiedSecret((copy) => Buffer.from(other.id.replaceAll('-', ''), 'hex').copy(copy)),
    modifiedSecret((copy) => copy.fill(0, 0, 16)),
    // The unused bits of the last base64url character.
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
  for (const wrong of invalidSecrets) expectNoFeed(await api.get(`/v1/calendars/${wrong}.ics`));
  for (const tail of ['', '.ICS', '.icsx', '.ics/x'])
    expectProblem(await api.get(`/v1/calendars/${secret}${tail}`), 404, 'route_not_found');
  // An Authorization header is ignored.
  expectStatus(await api.get(path, 'pa_x'), 200);
});

test('own calendar: Cache-Control no-store, and 304 for a matching If-None-Match', async () => {
  const person = await createUser(api);
  const path = await createFeed(person);
  const { headers } = await api.get(path);
  assert.deepEqual(
    ['cache-control', 'content-disposition'].map((name) => headers.get(name)),
    ['private, no-store', 'inline; filename="potluck.ics"'],
  );
  const again = await fetch(api.url + path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  assert.deepEqual([again.status, again.headers.get('cache-control')], [304, 'private, no-store']);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 404 on every server after the account is deleted', async () => {
  const person = await createUser(api);
  const path = await createFeed(person);
  expectStatus(await deleteAccount(api, person), 200);
  expectNoFeed(await second.get(path));
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: 404 while its owner is suspended; feeds of guests omit the events of a suspended organizer', async () => {
  const [person, guest, admin] = [await createUser(api), await createUser(api), await createAdmin(api)];
  const event = await createEvent(api, person, { title: 'Of a suspended person' });
  for (const each of [guest, admin]) await setRsvp(each, event.id, 'going');
  const [path, guestPath, adminPath] = [
    await createFeed(person),
    await createFeed(guest),
    await createFeed(admin),
  ];
  const suspension = `/v1/admin/users/${person.id}/suspend`;
  const single = `/v1/events/${event.id}/calendar.ics`;
  expectStatus(await api.post(suspension, admin.token, {}), 200);
  expectNoFeed(await second.get(path));
  assert.deepEqual(titlesIn(await second.get(guestPath)), []);
  assert.deepEqual(titlesIn(await second.get(adminPath)), [event.title]);
  assert.deepEqual(titlesIn(await second.get('/v1/events.ics?q=suspended')), []);
  expectProblem(await second.get(single, guest.token), 404, 'event_not_found');
  expectStatus(await api.delete(suspension, admin.token), 200);
  for (const each of [path, guestPath, single])
    assert.deepEqual(titlesIn(await second.get(each)), [event.title]);
});

// spec: 2.4 POST /v1/me/calendar, GET /v1/me/calendar, DELETE /v1/me/calendar, GET /v1/calendars/:secret.ics: a personal calendar feed with a secret address
test('own calendar: no table and no log line contains the secret', async () => {
  const person = await createUser(api);
  const path = await createFeed(person);
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

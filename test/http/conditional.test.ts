/** Conditional requests: the responses with an ETag, and when the response is a 304. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import { bookingPath } from '../support/booking-client.ts';
import { createAdmin, createEvent, createUpload, createUser, rsvpGoing } from '../support/factories.ts';
import { request } from '../support/http-client.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);
const event = await createEvent(api, organizer, { capacity: 1 });
const { url: image } = await createUpload(api, organizer);
const { body: calendar } = await api.post('/v1/me/calendar', organizer.token);
const path = `/v1/events/${event.id}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** One path for each kind of response with an ETag. */
const pathsWithETag = [
  path,
  `${path}/calendar.ics`,
  '/v1/events.ics',
  '/v1/events',
  '/v1/events/search?q=potluck',
  `/v1/events/highlights?ids=${event.id}`,
  '/v1/events/map?bbox=-180,-90,180,90&zoom=3',
  `/v1/users/${organizer.id}/events`,
  new URL(calendar.url).pathname,
  new URL(image).pathname,
  '/openapi.json',
  '/docs/',
  '/docs/errors',
  '/docs/js/scalar.js',
];

// spec: 4.11 GET /v1/events/:id: `ETag` and 304
test('ETag: 304 without a body for a weak match, a list of tags and *, on every kind of response', async () => {
  for (const each of pathsWithETag) {
    const { status, headers } = await request(api.url + each);
    const tag = headers.etag ?? '';
    assert.equal(status, 200, each);
    assert.match(tag, /^(W\/)?"[\w-]+"$/, each);
    const opaque = tag.replace('W/', '');
    for (const known of [
      tag,
      opaque,
      `W/${opaque}`,
      '*',
      ' * ',
      `"x", ${tag}`,
      `"a,b" , W/"c",, ${tag}`,
      `${tag},"x"`,
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const again = await request(api.url + each, { 'if-none-match': known }, method);
        assert.deepEqual([again.status, again.bytes.length], [304, 0], `${method} ${each} ${known}`);
        for (const name of ['etag', 'cache-control', 'vary'] as const)
          assert.equal(again.headers[name], headers[name], `${each} ${name}`);
        for (const name of ['content-length', 'content-type', 'content-encoding'])
          assert.equal(again.headers[name], undefined, `${each} ${name}`);
      }
    }
    for (const known of ['"x"', '', '"*"', `"${opaque.slice(1, -2)}"`, opaque.slice(1, -1), `"x${opaque}`]) {
      const again = await request(api.url + each, { 'if-none-match': known });
      assert.equal(again.status, 200, `${each} ${known}`);
    }
  }
});

test('ETag: a compressed response has the ETag of the uncompressed one, and either gives a 304 for the other', async () => {
  for (const each of ['/openapi.json', '/docs/js/scalar.js']) {
    const [plain, compressed] = [
      await request(api.url + each),
      await request(api.url + each, { 'accept-encoding': 'br' }),
    ];
    assert.equal(plain.headers.etag, compressed.headers.etag);
    assert.match(plain.headers.etag ?? '', /^W\//);
  }
});

test('Cache-Control: private, no-cache for an event; public, no-cache for a document', async () => {
  for (const [each, cacheControl, vary] of [
    [path, 'private, no-cache', 'Authorization, Cookie, Sec-Fetch-Site, Accept-Encoding'],
    ['/v1/events', 'private, no-cache', 'Authorization, Cookie, Sec-Fetch-Site, Accept-Encoding'],
    ['/openapi.json', 'public, no-cache', 'Accept-Encoding'],
    ['/docs/js/scalar.js', 'public, no-cache', 'Accept-Encoding'],
  ] as const) {
    const { headers } = await request(api.url + each);
    assert.deepEqual([headers['cache-control'], headers.vary], [cacheControl, vary], each);
    assert.match(String(headers['access-control-expose-headers']), /\bETag\b/);
  }
  const listed = await api.startAnother({ env: { CORS_ORIGINS: 'https://app.example' } });
  const { headers } = await request(listed.url + path, { origin: 'https://app.example' });
  assert.equal(headers.vary, 'Origin, Authorization, Cookie, Sec-Fetch-Site, Accept-Encoding');
  assert.match(String(headers['access-control-expose-headers']), /\bETag\b/);
});

test('Cache-Control: an error response has no-store and no ETag', async () => {
  const draft = await createEvent(api, organizer, { visibility: 'private' });
  for (const [each, status] of [
    [`/v1/events/${randomUUID()}`, 404],
    [`/v1/events/${draft.id}`, 404],
    [`/v1/events/${draft.id}/calendar.ics`, 404],
  ] as const) {
    const { status: actual, headers } = await request(api.url + each, { 'if-none-match': '*' });
    assert.deepEqual([actual, headers.etag, headers['cache-control']], [status, undefined, 'no-store'], each);
  }
});

// spec: 4.11 GET /v1/events/:id: `ETag` and 304
test('event: the ETag changes if and only if the record of this caller changes', async () => {
  const admin = await createAdmin(api);
  const waiting = await createUser(api);
  const viewers = { anonymous: undefined, guest: guest.token, waiting: waiting.token };
  type Viewer = keyof typeof viewers;
  const lastResponses = new Map<Viewer, { tag: string; body: string }>();
  /** Reads the record as each viewer on both servers. Returns the viewers whose ETag changed. */
  const changed = async (): Promise<Viewer[]> => {
    const names: Viewer[] = [];
    for (const [name, token] of Object.entries(viewers) as [Viewer, string | undefined][]) {
      const [on, other] = await Promise.all(
        [api, second].map(({ url }) => request(url + path, token ? bearer(token) : {})),
      );
      const [tag = '', body = ''] = [on?.headers.etag, on?.bytes.toString()];
      assert.deepEqual([other?.headers.etag, other?.bytes.toString()], [tag, body], name);
      const before = lastResponses.get(name);
      if (before) assert.equal(before.tag !== tag, before.body !== body, `${name}: ${body}`);
      if (before?.tag !== tag) names.push(name);
      lastResponses.set(name, { tag, body });
      const known = { 'if-none-match': tag, ...(token && bearer(token)) };
      assert.equal((await request(api.url + path, known)).status, 304, name);
    }
    return names;
  };
  const allViewers: Viewer[] = ['anonymous', 'guest', 'waiting'];
  assert.deepEqual(await changed(), allViewers);
  assert.equal(
    new Set([...lastResponses.values()].map(({ tag }) => tag)).size,
    2,
    'one tag for anonymous requests, one for callers without relations',
  );
  assert.deepEqual(await changed(), []);

  expectStatus(await api.post(`${path}/save`, guest.token, { saved: true }), 200);
  assert.deepEqual(await changed(), ['guest']);
  await rsvpGoing(api, guest, event.id);
  assert.deepEqual(await changed(), allViewers, 'rsvpCount');
  expectStatus(await api.post(`${path}/rsvp`, guest.token, { status: 'interested' }), 200);
  assert.deepEqual(await changed(), allViewers, 'goingCount');
  expectStatus(await api.post(bookingPath(event.id), guest.token, { seats: 1 }), 201);
  assert.deepEqual(await changed(), allViewers, 'bookedCount');
  expectStatus(await api.post(bookingPath(event.id), waiting.token, { seats: 1, waitlist: true }), 201);
  assert.deepEqual(await changed(), ['waiting']);
  expectStatus(await api.patch(path, admin.token, { title: 'Another title' }), 200);
  assert.deepEqual(await changed(), allViewers);
  expectStatus(await api.patch('/v1/me', organizer.token, { name: 'Mara' }), 200);
  assert.deepEqual(await changed(), allViewers, 'organizer');
});

test('event: 404 instead of 304 if the caller can no longer see the event, 401 instead of 304 for an invalid token', async () => {
  const { id } = await createEvent(api, organizer);
  const { headers } = await request(`${api.url}/v1/events/${id}`);
  expectStatus(await api.patch(`/v1/events/${id}`, organizer.token, { visibility: 'private' }), 200);
  const again = await request(`${api.url}/v1/events/${id}`, { 'if-none-match': headers.etag ?? '' });
  assert.equal(again.status, 404);
  const known = { 'if-none-match': '*', ...bearer('pa_x') };
  assert.equal((await request(api.url + path, known)).status, 401);
});

// spec: 4.9 GET /v1/events: `ETag` and 304
test('lists: the ETag changes if and only if this caller reads something else, on both servers', async () => {
  const lister = await createUser(api);
  const { id } = await createEvent(api, lister);
  const lists = ['/v1/events', `/v1/users/${lister.id}/events`, `/v1/events/highlights?ids=${id}`];
  const read = async (on: typeof api, token?: string) =>
    Promise.all(
      lists.map(async (each) => {
        const { headers, bytes } = await request(on.url + each, token ? bearer(token) : {});
        return { tag: `${headers.etag}`, body: bytes.toString() };
      }),
    );
  let [anonymous, own] = [await read(api), await read(api, guest.token)];
  const expectChanges = async (whatChanges: { anonymous: boolean[]; own: boolean[] }) => {
    const [nextAnonymous, nextOwn] = [await read(second), await read(second, guest.token)];
    for (const [before, after, changes] of [
      [anonymous, nextAnonymous, whatChanges.anonymous],
      [own, nextOwn, whatChanges.own],
    ] as const) {
      assert.deepEqual(
        after.map(({ body }, i) => body !== before[i]?.body),
        changes,
      );
      assert.deepEqual(
        after.map(({ tag }, i) => tag !== before[i]?.tag),
        changes,
      );
    }
    [anonymous, own] = [nextAnonymous, nextOwn];
  };
  const [all, none] = [
    [true, true, true],
    [false, false, false],
  ];
  const onlyLists = [true, true, false];
  await createEvent(api, lister, { visibility: 'private' });
  await expectChanges({ anonymous: none, own: none });
  expectStatus(await api.post(`/v1/events/${id}/save`, guest.token, { saved: true }), 200);
  await expectChanges({ anonymous: none, own: onlyLists });
  expectStatus(await api.patch(`/v1/events/${id}`, lister.token, { title: 'Another title' }), 200);
  await expectChanges({ anonymous: onlyLists, own: onlyLists });
  expectStatus(await api.patch(`/v1/events/${id}`, lister.token, { visibility: 'private' }), 200);
  await expectChanges({ anonymous: all, own: all });
});

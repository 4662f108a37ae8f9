/** `If-Match`: a change of a record that has changed meanwhile is a 412, and changes nothing. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { createEvent, createItem, createUser, rsvpGoing } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const second = await api.startAnother();
const organizer = await createUser(api);
const guest = await createUser(api);
const { token } = organizer;

const send = (method: string, path: string, ifMatch: string, body?: object, server = api) =>
  server.call(method, path, { token, headers: { 'if-match': ifMatch }, ...(body && { body }) });

type Record_ = { path: string; read: () => Promise<string>; changes: object[] };

async function createRecords(): Promise<Record_[]> {
  const event = await createEvent(api, organizer, { capacity: 5 });
  const item = await createItem(api, organizer, event.id);
  const etagOf = async (path: string) => `${(await api.get(path, token)).headers.get('etag')}`;
  const versionOf = async () => (await api.get(`/v1/events/${event.id}/items`, token)).body.data[0].version;
  return [
    {
      path: `/v1/events/${event.id}`,
      read: () => etagOf(`/v1/events/${event.id}`),
      changes: [{ title: 'New' }, { description: 'New' }, { price: 3 }, { enabledModules: ['bringList'] }],
    },
    {
      path: `/v1/items/${item.id}`,
      read: async () => `"${await versionOf()}"`,
      changes: [
        { title: 'New' },
        { description: 'New' },
        { quantityNeeded: 9 },
        { link: 'https://a.example' },
      ],
    },
    {
      path: '/v1/me',
      read: () => etagOf('/v1/auth/me'),
      changes: [{ name: 'New' }, { bio: `${Math.random()}` }, { isPrivate: true }, { isPrivate: false }],
    },
  ];
}

test('PATCH: 412 precondition_failed for a tag of another version; the tags of reads and of PATCH are accepted', async () => {
  for (const { path, read, changes } of await createRecords()) {
    for (const stale of ['"nope"', 'nope', 'W/"nope"', '""', '', '"*"'])
      expectProblem(await send('PATCH', path, stale, changes[0]), 412, 'precondition_failed');
    for (const change of changes) {
      const before = await read();
      const changed = expectStatus(await send('PATCH', path, before, change), 200);
      const after = await read();
      assert.notEqual(after, before, path);
      const etag = `${changed.headers.get('etag')}`;
      if (!path.includes('items')) assert.equal(etag, after);
      expectProblem(await send('PATCH', path, before, change), 412, 'precondition_failed');
      assert.equal(await read(), after, `${path}: nothing has changed`);
      for (const current of [etag, `"x", ${etag}`, `"a,b",W/${after.replace('W/', '')}`, '*', ' * '])
        expectStatus(await send('PATCH', path, current, change), 200);
    }
  }
});

test('DELETE: 412 for a tag of another version, and the record stays', async () => {
  const [event, item] = await createRecords();
  for (const { path, read, changes } of [item, event] as Record_[]) {
    const stale = await read();
    expectStatus(await api.patch(path, token, changes[0]), 200);
    expectProblem(await send('DELETE', path, stale), 412, 'precondition_failed');
    expectStatus(await send('DELETE', path, await read()), 200);
  }
  const body = { confirmCode: '000000' };
  expectProblem(await send('DELETE', '/v1/me', '"nope"', body), 412, 'precondition_failed');
  const { headers } = await api.get('/v1/auth/me', token);
  expectProblem(await send('DELETE', '/v1/me', `${headers.get('etag')}`, body), 400, 'wrong_code');
});

test('PATCH: RSVPs, saves, bookings and claims of others do not refuse a change with If-Match', async () => {
  const [event, item] = (await createRecords()) as [Record_, Record_];
  const tags = [await event.read(), await item.read()] as const;
  const id = event.path.split('/').pop() as string;
  await rsvpGoing(api, guest, id);
  expectStatus(await api.post(`/v1/events/${id}/booking`, guest.token, { seats: 2 }), 201);
  expectStatus(await api.post(`${item.path}/claim`, guest.token, { quantity: 1 }), 201);
  expectStatus(await api.post(`/v1/events/${id}/save`, token, { saved: true }), 200);
  assert.notEqual(await event.read(), tags[0], 'the ETag of GET has the counters');
  expectStatus(await send('PATCH', event.path, tags[0], { title: 'Renamed' }), 200);
  expectStatus(await send('PATCH', item.path, tags[1], { title: 'Renamed' }), 200);
});

test('PATCH: of two concurrent changes with the same tag, on two servers, one is a 200 and one a 412', async () => {
  for (const { path, read } of await createRecords()) {
    const field = path === '/v1/me' ? 'bio' : 'description';
    for (let round = 0; round < often(5); round++) {
      const tag = await read();
      const responses = await Promise.all(
        [api, second].map((server, i) => send('PATCH', path, tag, { [field]: `${round} ${i}` }, server)),
      );
      assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 412], path);
    }
  }
});

test('browsers: a preflight allows If-Match, and the response exposes ETag', async () => {
  const origin = 'https://app.example';
  const preflight = await fetch(`${api.url}/v1/me`, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'if-match',
    },
  });
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /if-match/i);
  const response = await fetch(`${api.url}/v1/auth/me`, {
    headers: { origin, authorization: `Bearer ${token}` },
  });
  assert.match(response.headers.get('access-control-expose-headers') ?? '', /\bETag\b/);
});

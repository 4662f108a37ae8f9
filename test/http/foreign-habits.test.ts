/** What clients that were not written for this API send, and what tells their authors the mistake. */
import assert from 'node:assert/strict';
import net from 'node:net';
import test from 'node:test';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const organizer = await createUser(api);
const { id } = await createEvent(api, organizer, { category: 'food' });

test('empty: 200 with all events for an empty category, as for an empty q', async () => {
  for (const query of ['category=', 'q=', 'category=&q='])
    assert.equal(expectStatus(await api.get(`/v1/events?${query}`), 200).body.meta.total, 1);
});

test('repeated: 400 that says so, for a parameter that is sent twice', async () => {
  for (const name of ['category', 'q']) {
    const { body } = expectProblem(await api.get(`/v1/events?${name}=a&${name}=b`), 400, 'invalid_request');
    assert.deepEqual(body.errors, [{ path: name, message: 'must be sent once' }]);
  }
});

test('null: 201 and 200 with the emoji of the kind for an item whose emoji is null', async () => {
  const item = { title: 'Bread', kind: 'bring', quantityNeeded: 1 };
  const path = `/v1/events/${id}/items`;
  const { body: usual } = expectStatus(await api.post(path, organizer.token, item), 201);
  await api.post(path, organizer.token, { ...item, emoji: null }).then((added) => expectStatus(added, 201));
  const change = (emoji: string | null) => api.patch(`/v1/items/${usual.id}`, organizer.token, { emoji });
  const { body: initial } = await api.get(path);
  assert.equal(initial.data[1].emoji, initial.data[0].emoji);
  assert.equal(expectStatus(await change('🥖'), 200).body.emoji, '🥖');
  assert.equal(expectStatus(await change(null), 200).body.emoji, initial.data[0].emoji);
});

test('address: 400 that asks for percent-encoding, for a letter outside ASCII in the request line', async () => {
  const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
  socket.end('GET /v1/events?q=Göteborg HTTP/1.1\r\nHost: potluck\r\n\r\n');
  const response = (await socket.setEncoding('utf8').toArray()).join('');
  assert.match(response, /^HTTP\/1\.1 400 .*Percent-encode it: %C3%B6 in place of ö/s);
});

test('address: 404 that names the two slashes at the beginning', async () => {
  const { body } = expectProblem(await api.get('//v1/events'), 404, 'route_not_found');
  assert.match(body.detail, /two slashes/);
});

test('OPTIONS: 204 with the methods of the path in Allow', async () => {
  for (const [path, allow] of [
    ['/v1/events', 'GET, HEAD, POST, OPTIONS'],
    [`/v1/events/${id}`, 'GET, HEAD, PATCH, DELETE, OPTIONS'],
  ] as const) {
    const { status, headers } = await api.call('OPTIONS', path);
    assert.deepEqual(
      [status, [...(headers.get('allow') ?? '').split(', ')].sort()],
      [204, allow.split(', ').sort()],
    );
  }
});

test('token: 401 with error="invalid_token" in WWW-Authenticate for a wrong token, and without an error for none', async () => {
  const wrong = await api.call('GET', '/v1/auth/me', { headers: { authorization: 'Bearer pa_wrong' } });
  assert.equal(
    expectProblem(wrong, 401, 'token_invalid').headers.get('www-authenticate'),
    'Bearer error="invalid_token"',
  );
  const missing = expectProblem(await api.get('/v1/auth/me'), 401, 'token_missing');
  assert.equal(missing.headers.get('www-authenticate'), 'Bearer');
});

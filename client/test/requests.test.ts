/** Retries, idempotency keys, problems and lists. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import test from 'node:test';
import {
  addItem,
  blockUser,
  bookSeats,
  type CreateEventData,
  cancelBooking,
  claimItem,
  createEvent,
  deleteEvent,
  deleteItem,
  followUser,
  getEvent,
  isProblem,
  iterate,
  iteratePages,
  listEvents,
  listFollowing,
  listMyEvents,
  ProblemError,
  ResponseError,
  requestCode,
  type Send,
  saveEvent,
  setRsvp,
  unclaimItem,
  unfollowUser,
} from '@potluck/client';
import { createItem, createUser, createUsers, eventBody } from '../../test/support/factories.ts';
import { startTestApp } from '../../test/support/setup.ts';
import { createRecordedClient, createSignedInClient } from './fixtures.ts';
import { startProxy } from './proxy.ts';

const api = await startTestApp();
const body = eventBody() as CreateEventData['body'];

/** Sends the first `times` requests to no server, and responds with `status`. */
const failFirst = (times: number, status: number, headers: Record<string, string> = {}): Send => {
  let remaining = times;
  return (request) =>
    remaining-- > 0 ? Promise.resolve(new Response('', { status, headers })) : fetch(request);
};
const outcomes = (requests: { outcome: unknown }[]) => requests.map(({ outcome }) => outcome);

test('retry: a GET waits for the seconds in Retry-After after a 429 and a 503', async () => {
  for (const status of [429, 503]) {
    const fetch = failFirst(1, status, { 'retry-after': '1' });
    const { client, requests } = createRecordedClient(api.url, { fetch });
    const startedAt = performance.now();
    await listEvents({ client });
    assert.ok(performance.now() - startedAt >= 990);
    assert.deepEqual(outcomes(requests), [status, 200]);
  }
});

test('retry: the number of attempts and the time in Retry-After are bounded; the error has retryAfter', async () => {
  const often = createRecordedClient(api.url, { fetch: failFirst(9, 503), retry: { attempts: 3 } });
  await assert.rejects(listEvents({ client: often.client }), ResponseError);
  assert.deepEqual(outcomes(often.requests), [503, 503, 503]);
  const long = createRecordedClient(api.url, { fetch: failFirst(9, 429, { 'retry-after': '31' }) });
  await assert.rejects(
    listEvents({ client: long.client }),
    (error) => error instanceof ResponseError && error.retryAfter === 31,
  );
  assert.equal(long.requests.length, 1);
});

test('retry: a POST without an idempotency key is not repeated', async () => {
  const { client, requests } = createRecordedClient(api.url, { fetch: failFirst(9, 503) });
  await assert.rejects(requestCode({ client, body: { phone: '+12025550199' } }), ResponseError);
  assert.deepEqual(outcomes(requests), [503]);
});

test('retry: a POST with the effect of a PUT is repeated after a lost response', async () => {
  const proxy = await startProxy(api.url);
  const { client, requests } = await createSignedInClient(api, { baseUrl: proxy.url });
  const other = await createUser(api);
  const { data: event } = await createEvent({ client, body });
  const path = { id: event.id };
  for (const send of [
    () => setRsvp({ client, path, body: { status: 'going', extraGuests: 2 } }),
    () => saveEvent({ client, path, body: { saved: true } }),
    () => followUser({ client, path: { id: other.id } }),
    () => blockUser({ client, path: { id: other.id } }),
  ]) {
    requests.length = 0;
    proxy.dropNextResponse('POST');
    await send();
    assert.deepEqual([outcomes(requests)[0] instanceof Error, outcomes(requests)[1]], [true, 200]);
  }
  const { data } = await getEvent({ client, path });
  assert.deepEqual([data.rsvpCount, data.partyCount, data.isSaved], [1, 3, true]);
});

test('time limit: an attempt without a response ends after it, and is repeated; 0 is no limit', async () => {
  let attempts = 0;
  const fetchOnce: Send = async (request) => {
    attempts++;
    // Not the server, which may take longer than the limit.
    if (attempts > 1) return Response.json({ data: [], meta: { total: 0, page: 1, limit: 20 } });
    return new Promise((_, reject) => {
      request.signal.addEventListener('abort', () => reject(request.signal.reason));
    });
  };
  const { client } = createRecordedClient(api.url, { fetch: fetchOnce, timeLimit: 0.05 });
  await listEvents({ client });
  assert.equal(attempts, 2);
  const endless = createRecordedClient(api.url, { timeLimit: 0 });
  await listEvents({ client: endless.client });
});

test('response: a page in place of JSON is a ResponseError', async () => {
  const page: Send = async () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
  const { client } = createRecordedClient(api.url, { fetch: page, retry: { attempts: 1 } });
  await assert.rejects(
    listEvents({ client }),
    (error) => error instanceof ResponseError && error.status === 200,
  );
});

test('throwOnError: false returns the error that would be thrown, with its type', async () => {
  const { client } = createRecordedClient(api.url);
  const missing = await getEvent({ client, path: { id: randomUUID() }, throwOnError: false });
  const error: Error | undefined = missing.error;
  assert.ok(isProblem(error, 'event_not_found'));
  const lost = createRecordedClient('http://127.0.0.1:1', { retry: { attempts: 1 } });
  const { error: failure } = await listEvents({ client: lost.client, throwOnError: false });
  assert.ok(failure instanceof Error && !(failure instanceof ResponseError));
});

test('retry: an aborted request stops waiting', async () => {
  const { client } = createRecordedClient(api.url, { fetch: failFirst(9, 503, { 'retry-after': '20' }) });
  const request = listEvents({ client, signal: AbortSignal.timeout(50) });
  await assert.rejects(request, { name: 'TimeoutError' });
});

test('retry: a DELETE whose response was lost succeeds, whatever it removes; a 404 of the first attempt is thrown', async () => {
  const proxy = await startProxy(api.url);
  const { client } = await createSignedInClient(api, { baseUrl: proxy.url });
  const { data: event } = await createEvent({ client, body: { ...body, capacity: 5 } });
  const id = { id: event.id };
  await setRsvp({ client, path: id, body: { status: 'going' } });
  const { data: item } = await addItem({
    client,
    path: id,
    body: { title: 'Bread', kind: 'bring', quantityNeeded: 2 },
  });
  await claimItem({ client, path: { id: item.id }, body: { quantity: 1 } });
  await bookSeats({ client, path: id, body: { seats: 1 } });
  const removals = [
    [() => unclaimItem({ client, path: { id: item.id } }), 'claim_not_found'],
    [() => deleteItem({ client, path: { id: item.id } }), 'item_not_found'],
    [() => cancelBooking({ client, path: id }), 'booking_not_found'],
    [() => deleteEvent({ client, path: id }), 'event_not_found'],
  ] as const;
  for (const [remove, code] of removals) {
    proxy.dropNextResponse('DELETE');
    assert.deepEqual((await remove()).data, { success: true });
    await assert.rejects(remove(), (error) => isProblem(error, code));
  }
});

test('retry: a 404 of a DELETE after a 503 is a success, after a 429 it is thrown; user_not_found is thrown', async () => {
  const unknown = { id: randomUUID() };
  for (const [status, isSuccess] of [
    [503, true],
    [504, true],
    [429, false],
  ] as const) {
    const { client } = await createSignedInClient(api);
    const token = (await client.session.accessToken()) ?? '';
    const headers = { authorization: `Bearer ${token}` };
    const failing = createRecordedClient(api.url, { headers, fetch: failFirst(1, status) });
    const removal = deleteEvent({ client: failing.client, path: unknown });
    if (isSuccess) assert.deepEqual((await removal).data, { success: true });
    else await assert.rejects(removal, (error) => isProblem(error, 'event_not_found'));
    assert.deepEqual(outcomes(failing.requests), [status, 404]);
    const lost = createRecordedClient(api.url, { headers, fetch: failFirst(1, status) });
    await assert.rejects(unfollowUser({ client: lost.client, path: unknown }), (error) =>
      isProblem(error, 'user_not_found'),
    );
  }
});

test('idempotency: a POST whose response was lost is repeated with its key, and creates one event', async () => {
  const proxy = await startProxy(api.url);
  const { client, requests } = await createSignedInClient(api, { baseUrl: proxy.url });
  proxy.dropNextResponse();
  const { data: event, response } = await createEvent({ client, body });
  assert.equal(response.headers.get('idempotent-replayed'), 'true');
  const [lost, replayed] = requests;
  assert.ok(lost?.outcome instanceof Error && requests.length === 2);
  assert.ok(lost.key && lost.key === replayed?.key);
  const own = await Array.fromAsync(iterate(listMyEvents, { client, query: { relation: 'organizing' } }));
  assert.deepEqual(
    own.map(({ id }) => id),
    [event.id],
  );
});

test('idempotency: each call has a key of its own, and the key of the caller is kept', async () => {
  const { client, requests } = await createSignedInClient(api);
  const headers = { 'Idempotency-Key': 'mine' };
  const ids = [];
  for (const options of [{}, {}, { headers }, { headers }])
    ids.push((await createEvent({ client, body, ...options })).data.id);
  assert.equal(new Set(ids).size, 3);
  assert.equal(ids[2], ids[3]);
  const keys = requests.map(({ key }) => key);
  assert.match(`${keys[0]}`, /^[0-9a-f]{32}$/);
  assert.deepEqual([new Set(keys).size, keys[3]], [3, 'mine']);
});

test('problems: an error has the code, status, title and invalid fields; isProblem narrows the code', async () => {
  const { client } = await createSignedInClient(api);
  const invalid = { ...body, location: { ...body.location, lat: 91 }, title: '' };
  const error = await createEvent({ client, body: invalid }).catch((error: unknown) => error);
  assert.ok(isProblem(error, 'invalid_request'));
  const code: 'invalid_request' = error.code;
  assert.deepEqual([code, error.status, error.title], ['invalid_request', 400, 'The request is not valid']);
  assert.deepEqual(error.errors.map(({ path }) => path).sort(), ['location.lat', 'title']);
  assert.equal(error.requestId, error.response.headers.get('x-request-id'));
  assert.ok(!isProblem(error, 'event_not_found', 'already_claimed') && isProblem(error));

  const missing = await getEvent({ client, path: { id: 'unknown' } }).catch((error: unknown) => error);
  assert.ok(missing instanceof ProblemError && isProblem(missing, 'event_not_found', 'item_not_found'));
  const codes: 'event_not_found' | 'item_not_found' = missing.code;
  assert.equal(codes, 'event_not_found');
  const { error: returned } = await getEvent({ client, path: { id: 'unknown' }, throwOnError: false });
  assert.ok(isProblem(returned, 'event_not_found') && returned.type === '/docs/errors#event_not_found');
  // @ts-expect-error the code is not in the catalogue of the server
  assert.ok(!isProblem(missing, 'no_such_code'));
});

test('problems: claiming twice is a 409 already_claimed, and a lost connection is the error of fetch', async () => {
  const { client } = await createSignedInClient(api);
  const { data: event } = await createEvent({ client, body });
  const organizer = { token: (await client.session.accessToken()) ?? '' };
  const item = await createItem(api, { ...(await createUser(api)), ...organizer }, event.id);
  await setRsvp({ client, path: { id: event.id }, body: { status: 'going' } });
  const claim = () => claimItem({ client, path: { id: item.id }, body: { quantity: 1 } });
  await claim();
  await assert.rejects(claim(), (error) => isProblem(error, 'already_claimed') && error.status === 409);

  const down = createRecordedClient('http://127.0.0.1:1', { retry: { attempts: 2 } });
  await assert.rejects(listEvents({ client: down.client }), TypeError);
  assert.equal(down.requests.length, 2);
});

test('problems: an error response that is no problem is a ResponseError', async () => {
  const proxyPage = new Response('<h1>Bad gateway</h1>', { status: 500 });
  const { client } = createRecordedClient(api.url, { fetch: async () => proxyPage });
  const error = await listEvents({ client }).catch((error: unknown) => error);
  assert.ok(error instanceof ResponseError && !isProblem(error));
  assert.equal(error.status, 500);
});

test('lists: iterate yields each element of a cursor list once, in the order of the list', async () => {
  const { client, requests } = await createSignedInClient(api);
  const people = await createUsers(api, 7);
  for (const { id } of people) await followUser({ client, path: { id } });
  const { id } = (await api.get('/v1/auth/me', await client.session.accessToken())).body;
  requests.length = 0;
  const following = await Array.fromAsync(
    iterate(listFollowing, { client, path: { id }, query: { limit: 3 } }),
  );
  assert.deepEqual(following.map((person) => person.id).sort(), people.map((person) => person.id).sort());
  assert.equal(requests.length, 3);
  const pages = await Array.fromAsync(
    iteratePages(listFollowing, { client, path: { id }, query: { limit: 3 } }),
  );
  assert.deepEqual(
    pages.map(({ data }) => data.length),
    [3, 3, 1],
  );
});

test('lists: iterate yields each event of a list with page numbers once, also if the list grows meanwhile', async () => {
  const { client, requests } = await createSignedInClient(api);
  const q = 'Regatta';
  const create = (title: string, startAt: string) =>
    createEvent({ client, body: { ...body, title, startAt, endAt: '2031-01-02T00:00:00Z' } });
  const titles = Array.from({ length: 5 }, (_, i) => `Regatta ${i}`);
  for (const [i, title] of titles.entries()) await create(title, `2031-01-01T0${i + 1}:00:00Z`);
  requests.length = 0;
  const found: string[] = [];
  for await (const { title } of iterate(listEvents, { client, query: { q, limit: 2 } })) {
    found.push(title);
    // An event that starts earlier moves all others by one place.
    if (found.length === 1) await create('Regatta of the morning', '2031-01-01T00:30:00Z');
  }
  assert.deepEqual(found, titles);
  const last = await Array.fromAsync(iteratePages(listEvents, { client, query: { q, limit: 2, page: 3 } }));
  assert.deepEqual(
    last.map(({ data, meta }) => [data.length, meta.page, meta.total]),
    [[2, 3, 6]],
  );
});

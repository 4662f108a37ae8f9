/** Sign-in, and the renewal of tokens. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  browserStorage,
  deleteMe,
  getMe,
  isProblem,
  listEvents,
  logout,
  memoryStorage,
  requestCode,
  requestDeleteCode,
  requestMailCode,
  type Send,
  signInByMail,
  type Tokens,
  updateMe,
} from '@potluck/client';
import { startTestApp } from '../../test/support/setup.ts';
import { createRecordedClient, createSignedInClient, signInNewPerson } from './fixtures.ts';
import { startProxy } from './proxy.ts';

const api = await startTestApp();
const minute = 60_000;

const countRefreshes = (requests: { name: string }[]): number =>
  requests.filter(({ name }) => name === 'POST /v1/auth/refresh').length;

test('session: the access token is sent in the header Authorization alone, and to operations that take it', async () => {
  const sent: Headers[] = [];
  const fetchAndRecord: Send = (request) => {
    sent.push(request.headers);
    return fetch(request);
  };
  const { client } = await createSignedInClient(api, { fetch: fetchAndRecord });
  sent.length = 0;
  await listEvents({ client });
  await requestCode({ client, body: { phone: '+12025550198' } });
  assert.deepEqual(
    sent.map((headers) => [headers.get('authorization')?.slice(0, 10), headers.get('cookie')]),
    [
      ['Bearer pa_', null],
      [undefined, null],
    ],
  );
});

test('session: a sign-in by mail stores the tokens', async () => {
  const { client } = createRecordedClient(api.url);
  const body = { email: 'ada@example.org' };
  const { data: sent } = await requestMailCode({ client, body });
  const { data } = await signInByMail({ client, body: { ...body, code: sent.devCode ?? '' } });
  assert.equal((await getMe({ client })).data.id, data.user.id);
});

test('session: 20 concurrent requests with an expired access token make one refresh, and all succeed', async () => {
  const { client, requests, userId } = await createSignedInClient(api);
  // By the clock of the client, the token is valid: all requests get a 401 first.
  api.clock.advance(31 * minute);
  const responses = await Promise.all(Array.from({ length: 20 }, () => getMe({ client })));
  assert.deepEqual(new Set(responses.map(({ data }) => data.id)), new Set([userId]));
  assert.equal(countRefreshes(requests), 1);
  assert.equal(requests.filter(({ outcome }) => outcome === 401).length, 20);
  await getMe({ client });
  assert.equal(requests.at(-1)?.outcome, 200);
});

test('session: 20 concurrent requests share a refresh that fails', async () => {
  const { client, requests } = await createSignedInClient(api, {
    retry: { attempts: 1 },
    async fetch(request) {
      if (!request.url.endsWith('/refresh')) return fetch(request);
      // All requests have asked for a new token when the first refresh fails.
      while (requests.filter(({ outcome }) => outcome === 401).length < 20) await nextTurn();
      await nextTurn();
      throw new TypeError('down');
    },
  });
  api.clock.advance(31 * minute);
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => getMe({ client })));
  assert.ok(outcomes.every(({ status }) => status === 'rejected'));
  assert.equal(countRefreshes(requests), 1);
});

test('session: a sign-in during a refresh has the last word about the tokens', async () => {
  const gate = Promise.withResolvers<void>();
  const { client, requests } = await createSignedInClient(api, {
    async fetch(request) {
      const response = await fetch(request);
      if (request.url.endsWith('/refresh')) await gate.promise;
      return response;
    },
  });
  api.clock.advance(31 * minute);
  const reading = getMe({ client });
  while (countRefreshes(requests) === 0 && requests.at(-1)?.outcome !== 401) await nextTurn();
  const signingIn = signInNewPerson(client);
  while (requests.at(-1)?.name !== 'POST /v1/auth/otp/verify') await nextTurn();
  // The sign-in has its response; now it stores its tokens, or waits for the refresh.
  for (let turns = 0; turns < 20; turns++) await nextTurn();
  gate.resolve();
  await reading;
  const userId = await signingIn;
  assert.equal((await getMe({ client })).data.id, userId);
});

test('session: a token that has expired by the clock of the client is renewed before it is sent', async () => {
  const storage = memoryStorage();
  const { client, requests } = await createSignedInClient(api, { storage });
  const tokens = (await storage.read()) as Tokens;
  await storage.write({ ...tokens, expiresAt: Date.now() - 1 });
  await Promise.all(Array.from({ length: 20 }, () => getMe({ client })));
  assert.equal(countRefreshes(requests), 1);
  assert.ok(requests.every(({ outcome }) => outcome === 200));
});

test('session: a write whose token has expired is sent again with its body', async () => {
  const { client, requests } = await createSignedInClient(api);
  api.clock.advance(31 * minute);
  const { data } = await updateMe({ client, body: { name: 'Freja Ek' } });
  assert.equal(data.name, 'Freja Ek');
  assert.deepEqual(
    requests.map(({ outcome }) => outcome),
    [401, 200, 200],
  );
});

test('session: two clients that share the storage of a browser, such as two tabs, make one refresh', async () => {
  const values = new Map<string, string>([['potluck', 'not JSON']]);
  const localStorage = {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: localStorage, configurable: true });
  const storage = browserStorage();
  assert.equal(await storage.read(), null);
  const first = await createSignedInClient(api, { storage });
  const second = createRecordedClient(api.url, { storage: browserStorage() });
  api.clock.advance(31 * minute);
  const clients = [first.client, second.client, first.client, second.client];
  const responses = await Promise.all(clients.map((client) => getMe({ client })));
  assert.ok(responses.every(({ data }) => data.id === first.userId));
  assert.equal(countRefreshes([...first.requests, ...second.requests]), 1);
  await logout({ client: second.client });
  assert.equal(await first.client.session.isSignedIn(), false);
});

test('session: a refresh whose response is lost is repeated, and the session continues', async () => {
  const proxy = await startProxy(api.url);
  const { client, requests, userId } = await createSignedInClient(api, {
    baseUrl: proxy.url,
    fetch(request) {
      if (request.url.endsWith('/refresh') && countRefreshes(requests) === 0) proxy.dropNextResponse();
      return fetch(request);
    },
  });
  api.clock.advance(31 * minute);
  assert.equal((await getMe({ client })).data.id, userId);
  assert.equal(countRefreshes(requests), 2);
  assert.ok(requests.some(({ outcome }) => outcome instanceof Error));
});

test('session: tokens are removed once the server has ended the session; public lists stay readable', async () => {
  const changes: boolean[] = [];
  const { client, requests, userId } = await createSignedInClient(api, {
    onSessionChange: (isSignedIn) => changes.push(isSignedIn),
  });
  await api.sql`delete from sessions where user_id = ${userId}`;
  api.clock.advance(31 * minute);
  await assert.rejects(getMe({ client }), (error) => isProblem(error, 'token_invalid'));
  assert.deepEqual(changes, [true, false]);
  assert.equal(await client.session.isSignedIn(), false);
  await listEvents({ client });
  await assert.rejects(getMe({ client }), (error) => isProblem(error, 'token_missing'));
  assert.equal(countRefreshes(requests), 1);
});

test('session: a refresh that fails for the moment keeps the tokens', async () => {
  let isDown = false;
  const { client } = await createSignedInClient(api, {
    retry: { attempts: 1 },
    fetch: (request) =>
      isDown && request.url.endsWith('/refresh') ? Promise.reject(new TypeError('down')) : fetch(request),
  });
  api.clock.advance(31 * minute);
  isDown = true;
  await assert.rejects(getMe({ client }), /down/);
  assert.equal(await client.session.isSignedIn(), true);
  isDown = false;
  await getMe({ client });
});

test('session: logout and the deletion of the account remove the tokens; another person can sign in', async () => {
  const { client } = await createSignedInClient(api);
  const token = await client.session.accessToken();
  await logout({ client });
  assert.equal(await client.session.accessToken(), undefined);
  assert.equal((await api.get('/v1/auth/me', token)).status, 401);
  const userId = await signInNewPerson(client);
  assert.equal((await getMe({ client })).data.id, userId);
  const { data: sent } = await requestDeleteCode({ client });
  await deleteMe({ client, body: { confirmCode: sent.devCode ?? '' } });
  assert.equal(await client.session.isSignedIn(), false);
});

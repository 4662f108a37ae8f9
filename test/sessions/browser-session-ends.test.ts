/** Lifetime of browser sessions, and their end on every server. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { changeKeyOf } from '#fresh-records';
import { often } from '../support/all-cases.ts';
import { createAdmin, createEvent, createUser, fromPage, nextPhone, signIn } from '../support/factories.ts';
import { isNamed, openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp, TestClock } from '../support/setup.ts';
import { type Browser, browsersOf, isCleared, signInAt } from './browser-client.ts';

const clock = new TestClock();
const api = await startTestApp({ clock });
const second = await api.startAnother();
const [minute, day] = [60_000, 86_400_000];
const { openBrowser, send, rowOf } = browsersOf(api);
const me = (browser: Browser, on = second) => send(browser, 'GET', '/v1/auth/me', undefined, on);

/** Waits until the session was renewed. The time limit of the test fails a session that is not. */
async function untilRenewed(browser: Browser, before: { xmin: string }) {
  for (;;) {
    const row = await rowOf(browser);
    if (row.xmin !== before.xmin) return row;
    await sleep(10);
  }
}

// spec: 5 POST /v1/auth/browser-session: lifetime of a browser session
test('lifetime: 401 after 30 days without a request; each request on a later day extends the session by up to a day', async () => {
  const [used, unused] = [await openBrowser(), await openBrowser()];
  for (let days = 0; days < 40; days += 10) {
    clock.advance(10 * day);
    const before = await rowOf(used);
    expectStatus(await me(used), 200);
    const { expiresAt } = await untilRenewed(used, before);
    assert.ok(Math.abs(expiresAt.getTime() - clock.now().getTime() - 30 * day) < minute);
    if (days === 20) expectProblem(await me(unused), 401, 'token_invalid');
  }
  clock.advance(30 * day - minute);
  expectStatus(await me(used), 200);
});

test('lifetime: 401 after 180 days, however often the session is used', async () => {
  const browser = await openBrowser();
  let row = await rowOf(browser);
  for (let days = 25; days <= 150; days += 25) {
    clock.advance(25 * day);
    expectStatus(await me(browser), 200);
    row = await untilRenewed(browser, row);
  }
  assert.deepEqual(row.expiresAt, row.endsAt);
  clock.advance(30 * day - minute);
  expectStatus(await me(browser), 200);
  assert.deepEqual(await rowOf(browser), row);
  clock.advance(minute);
  expectProblem(await me(browser), 401, 'token_invalid');
});

test('lifetime: requests within a day write nothing; concurrent requests on two servers renew once', async () => {
  const browser = await openBrowser();
  const before = await rowOf(browser);
  clock.advance(day - minute);
  await Promise.all(Array.from({ length: 10 }, () => me(browser)));
  await sleep(50);
  assert.deepEqual(await rowOf(browser), before);
  clock.advance(2 * minute);
  const both = Array.from({ length: 40 }, (_, i) => me(browser, i % 2 ? api : second));
  for (const response of await Promise.all(both)) expectStatus(response, 200);
  await untilRenewed(browser, before);
  for (const server of [api, second]) expectStatus(await me(browser, server), 200);
  await sleep(50);
  const { userId, id } = before;
  const [changes] = await api.sql<{ n: number }[]>`
    select count(*)::int as n from changes where ${changeKeyOf(`${userId} ${id}`)} = any(records)`;
  assert.equal(changes?.n, 1);
});

test('lifetime: RSVPs alone, which use the cached session, renew it', async () => {
  const event = await createEvent(api, await createUser(api));
  const browser = await openBrowser();
  const rsvp = (on: typeof api) =>
    send(browser, 'POST', `/v1/events/${event.id}/rsvp`, { status: 'going' }, on);
  for (let i = 0; i < 4; i++) {
    const before = await rowOf(browser);
    for (const server of [api, second]) expectStatus(await rsvp(server), 200);
    clock.advance(12 * day);
    expectStatus(await rsvp(i % 2 ? api : second), 200);
    await untilRenewed(browser, before);
  }
});

// spec: 5 POST /v1/auth/logout, GET /v1/auth/sessions, DELETE /v1/auth/sessions/:id: end of a session
test('logout: 200 removes the cookie, and the other server refuses it at once; a second logout is 401 and removes it too', async () => {
  const [browser, other] = [await openBrowser(), await openBrowser()];
  expectStatus(await me(browser), 200);
  const first = expectStatus(await send(browser, 'POST', '/v1/auth/logout'), 200);
  assert.ok(isCleared(first));
  assert.match(
    first.headers.get('set-cookie') ?? '',
    /^potluck-0=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  const refused = expectProblem(await me(browser), 401, 'token_invalid');
  // Only the sign-out removes the cookie: a late 401 must not remove that of a new sign-in in another tab.
  assert.equal(refused.headers.get('set-cookie'), null);
  const again = expectProblem(
    await send(browser, 'POST', '/v1/auth/logout', undefined, second),
    401,
    'token_invalid',
  );
  assert.ok(isCleared(again));
  const headers = { cookie: other.cookie, 'sec-fetch-site': 'cross-site' };
  const forged = expectProblem(
    await api.call('POST', '/v1/auth/logout', { headers }),
    403,
    'cross_site_request',
  );
  assert.equal(forged.headers.get('set-cookie'), null);
  expectStatus(await me(other), 200);
});

test('sessions: a browser session is listed, ends from another session, and its own end removes the cookie', async () => {
  const phone = nextPhone();
  const [browser, phoneApp, laptop] = [
    await openBrowser(phone),
    await signIn(api, phone),
    await openBrowser(phone),
  ];
  const { data } = expectStatus(await send(browser, 'GET', '/v1/auth/sessions'), 200).body;
  assert.equal(data.length, 3);
  const current = data.find(({ isCurrent }: { isCurrent: boolean }) => isCurrent);
  assert.equal(current.id, (await rowOf(browser)).id);
  const inDays = (Date.parse(current.expiresAt) - clock.now().getTime()) / day;
  assert.ok(inDays > 29.9 && inDays <= 30, `${inDays}`);
  const laptopId = (await rowOf(laptop)).id;
  const ended = expectStatus(await send(browser, 'DELETE', `/v1/auth/sessions/${laptopId}`), 200);
  assert.equal(ended.headers.get('set-cookie'), null);
  expectProblem(await me(laptop), 401, 'token_invalid');
  const byToken = expectStatus(await api.delete(`/v1/auth/sessions/${current.id}`, phoneApp.token), 200);
  assert.equal(byToken.headers.get('set-cookie'), null);
  expectProblem(await me(browser), 401, 'token_invalid');
  const last = await openBrowser(phone);
  const own = await send(last, 'DELETE', `/v1/auth/sessions/${(await rowOf(last)).id}`);
  assert.ok(isCleared(expectStatus(own, 200)));
  expectProblem(await me(last), 401, 'token_invalid');
});

const admin = await createAdmin(api);
const ends: [string, (browser: Browser) => Promise<unknown>][] = [
  ['logout', (browser) => send(browser, 'POST', '/v1/auth/logout')],
  [
    'account deletion',
    async (browser) => {
      const sent = expectStatus(await send(browser, 'POST', '/v1/me/delete-code'), 202).body;
      const deleted = await send(browser, 'DELETE', '/v1/me', { confirmCode: sent.devCode });
      assert.ok(isCleared(expectStatus(deleted, 200)));
    },
  ],
  [
    'suspension',
    async (browser) => {
      const { id } = (await me(browser)).body;
      const { token } = await signIn(api, admin.phone);
      expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, token, {}), 200);
    },
  ],
];
for (const [name, end] of ends)
  test(`cookie: 401 for reads, writes and the live stream on another server after ${name}`, async () => {
    const organizer = await createUser(api);
    const event = await createEvent(api, organizer);
    const calls = [
      (browser: Browser) => send(browser, 'GET', `/v1/events/${event.id}`, undefined, second),
      (browser: Browser) => send(browser, 'POST', `/v1/events/${event.id}/rsvp`, { status: 'going' }, second),
      (browser: Browser) => send(browser, 'POST', `/v1/events/${event.id}/save`, { saved: true }, second),
    ];
    for (const call of calls) {
      const browser = await openBrowser();
      expectStatus(await call(browser), 200);
      const headers = { cookie: browser.cookie, ...fromPage };
      const stream = await openStream(second, event.id, { headers });
      await end(browser);
      expectProblem(await call(browser), 401, 'token_invalid');
      assert.deepEqual((await stream.until(isNamed('gone'))).data, { code: 'token_invalid' });
    }
  });

test('cookie: the session of a suspended person permits export and logout alone, and ends after 30 minutes', async () => {
  const browser = await openBrowser();
  const { id } = (await me(browser)).body;
  const { token } = await signIn(api, admin.phone);
  expectStatus(await api.post(`/v1/admin/users/${id}/suspend`, token, {}), 200);
  const { headers, body } = expectStatus(await signInAt(second, browser.phone), 200);
  assert.equal(body.isSuspended, true);
  const cookie = headers.get('set-cookie') ?? '';
  assert.match(cookie, /Max-Age=1800;/);
  const limited = { ...browser, cookie: cookie.split(';', 1)[0] ?? '' };
  expectStatus(await send(limited, 'GET', '/v1/me/export'), 200);
  expectProblem(await me(limited), 403, 'account_suspended');
  clock.advance(30 * minute);
  expectProblem(await send(limited, 'GET', '/v1/me/export'), 401, 'token_invalid');
});

test('race: logout on one server and writes with the cookie on the other leave no write after the logout', async () => {
  const event = await createEvent(api, await createUser(api));
  for (let round = 0; round < often(5); round++) {
    const browser = await openBrowser();
    const writes = Array.from({ length: 6 }, (_, i) =>
      send(browser, 'POST', `/v1/events/${event.id}/save`, { saved: i % 2 === 0 }, i % 2 ? api : second),
    );
    const logout = expectStatus(await send(browser, 'POST', '/v1/auth/logout'), 200);
    assert.ok(isCleared(logout));
    const after = await send(browser, 'POST', `/v1/events/${event.id}/rsvp`, { status: 'going' }, second);
    expectProblem(after, 401, 'token_invalid');
    for (const { status } of await Promise.all(writes)) assert.ok(status === 200 || status === 401);
  }
});

/** Sign-in of a browser, and what its cookie authenticates. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { transaction } from '#pg';
import { setRole } from '../../src/modules/accounts/sessions/repo.ts';
import {
  createEvent,
  createItem,
  createUser,
  eventBody,
  fromPage,
  nextPhone,
  requestCode,
  rsvpGoing,
  signIn,
} from '../support/factories.ts';
import { openStream } from '../support/live-fixtures.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { type Browser, browsersOf, signInAt } from './browser-client.ts';

const api = await startTestApp();
const second = await api.startAnother();
const { openBrowser, send, rowOf } = browsersOf(api);
const me = (browser: Browser, on = second) => send(browser, 'GET', '/v1/auth/me', undefined, on);

// spec: 5 POST /v1/auth/browser-session: sign-in of a browser with a cookie
test('browser session: 200 sets HttpOnly cookies of the session, the device and the way to sign in, and the body has the account and no token', async () => {
  const phone = nextPhone();
  const { headers, body } = expectStatus(await signInAt(api, phone), 200);
  const [session, device, way, ...others] = headers.getSetCookie();
  assert.match(session ?? '', /^potluck-0=pb_[\w-]{75}; Max-Age=15552000; Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(
    device ?? '',
    /^potluck-device-0=pd_[\w-]{51}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
  );
  assert.equal(way, 'potluck-way-0=phone; Max-Age=34560000; Path=/; HttpOnly; SameSite=Lax');
  assert.deepEqual(others, []);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.deepEqual(Object.keys(body).sort(), ['isNewUser', 'isSuspended', 'user']);
  assert.deepEqual([body.isNewUser, body.isSuspended, body.user.phone], [true, false, phone]);
  assert.doesNotMatch(JSON.stringify(body), /p[bd]_/);
  const again = expectStatus(await signInAt(second, phone), 200);
  assert.deepEqual([again.body.isNewUser, again.body.user.id], [false, body.user.id]);
});

test('browser session: Secure and __Host- if PUBLIC_URL is https; the port in the name if it is http', async () => {
  for (const [publicUrl, start, end] of [
    ['https://potluck.example', '__Host-potluck=pb_', '; Path=/; HttpOnly; Secure; SameSite=Lax'],
    ['https://potluck.example:8443', '__Host-potluck=pb_', '; Path=/; HttpOnly; Secure; SameSite=Lax'],
    ['http://192.168.1.20:3000', 'potluck-3000=pb_', '; Path=/; HttpOnly; SameSite=Lax'],
    ['http://potluck.lan', 'potluck-80=pb_', '; Path=/; HttpOnly; SameSite=Lax'],
  ] as const) {
    const server = await api.startAnother({ env: { PUBLIC_URL: publicUrl, DEV_CODES: 'on' } });
    const { headers } = expectStatus(await signInAt(server, nextPhone()), 200);
    const cookie = headers.get('set-cookie') ?? '';
    assert.ok(cookie.startsWith(start) && cookie.endsWith(end), cookie);
    assert.ok(!cookie.includes('Domain'));
  }
});

test('browser session: 400 for a wrong code and 429 after five, without a cookie', async () => {
  const phone = nextPhone();
  const code = await requestCode(api, phone);
  const body = { phone, code: code === '000000' ? '000001' : '000000' };
  for (let i = 0; i < 6; i++) {
    const response = await api.call('POST', '/v1/auth/browser-session', { body, headers: fromPage });
    if (i < 5) expectProblem(response, 400, 'wrong_code');
    else expectProblem(response, 429, 'too_many_tries');
    assert.equal(response.headers.get('set-cookie'), null);
  }
});

// spec: 5 POST /v1/auth/browser-session: sign-in of a browser with a cookie
test('cookie: reads, writes, batched writes and live streams on both servers', async () => {
  const organizer = await createUser(api);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const browser = await openBrowser();
  for (const server of [api, second]) {
    assert.equal(expectStatus(await me(browser, server), 200).body.phone, browser.phone);
    const read = expectStatus(await send(browser, 'GET', `/v1/events/${event.id}`, undefined, server), 200);
    assert.ok('myRsvp' in read.body);
    const rsvp = { status: 'going' };
    expectStatus(await send(browser, 'POST', `/v1/events/${event.id}/rsvp`, rsvp, server), 200);
    expectStatus(await send(browser, 'POST', '/v1/events', eventBody(), server), 201);
    const head = await fetch(`${server.url}/v1/auth/me`, {
      method: 'HEAD',
      headers: { cookie: browser.cookie },
    });
    assert.equal(head.status, 200);
    const headers = { cookie: browser.cookie, ...fromPage };
    await openStream(server, event.id, { headers });
  }
  expectStatus(await send(browser, 'POST', `/v1/items/${item.id}/claim`, { quantity: 1 }), 201);
});

test('cookie: an Authorization header takes precedence, also with an invalid token', async () => {
  const [browser, person] = [await openBrowser(), await createUser(api)];
  const call = (method: string, token: string, path = '/v1/auth/me') =>
    api.call(method, path, { token, headers: { cookie: browser.cookie, 'sec-fetch-site': 'cross-site' } });
  assert.equal(expectStatus(await call('GET', person.token), 200).body.id, person.id);
  expectStatus(await call('POST', person.token, '/v1/me/delete-code'), 202);
  for (const token of ['pa_junk', '', browser.cookie.split('=')[1] ?? ''])
    expectProblem(await call('GET', token), 401, 'token_invalid');
  const logout = expectStatus(await call('POST', person.token, '/v1/auth/logout'), 200);
  assert.equal(logout.headers.get('set-cookie'), null);
  expectStatus(await me(browser), 200);
});

test('cookie: 401 for an access or refresh token in the cookie, and for the token of the cookie in their place', async () => {
  const [browser, person] = [await openBrowser(), await createUser(api)];
  const [name, token = ''] = browser.cookie.split('=');
  for (const value of [person.token, person.refreshToken, token.replace('pb_', 'pa_'), `${token}A`, ''])
    expectProblem(await me({ ...browser, cookie: `${name}=${value}` }), 401, 'token_invalid');
  for (const forged of [token, token.replace('pb_', 'pa_')])
    expectProblem(await api.get('/v1/auth/me', forged), 401, 'token_invalid');
  for (const refreshToken of [token, token.replace('pb_', 'pr_'), `pr_${token.slice(3)}${'A'.repeat(22)}`])
    expectProblem(
      await api.post('/v1/auth/refresh', undefined, { refreshToken }),
      401,
      'refresh_token_invalid',
    );
  expectStatus(await me(browser), 200);
});

test('cookie: the first one of a session counts, beside other cookies; others are ignored', async () => {
  const [browser, other, ended] = [await openBrowser(), await openBrowser(), await openBrowser()];
  expectStatus(await send(ended, 'POST', '/v1/auth/logout'), 200);
  const isBrowser = async (cookie: string) => {
    const { body } = expectStatus(await me({ ...browser, cookie }), 200);
    assert.equal(body.phone, browser.phone, cookie);
  };
  const [name = '', token = ''] = browser.cookie.split('=');
  for (const cookie of [
    `theme=dark; ${browser.cookie}; lang=sv`,
    `theme=dark;${browser.cookie};`,
    `;;; =x; novalue; a=b=c; ${browser.cookie}`,
    `x${other.cookie}; ${browser.cookie}`,
    `${name.toUpperCase()}=${other.cookie.split('=')[1]}; ${browser.cookie}`,
    `__proto__=x; constructor=y; ${browser.cookie}; toString=z`,
    `${browser.cookie}; ${other.cookie}`,
    `${browser.cookie}; ${name}=junk`,
    `${`${name}=junk; `.repeat(50)}${name}=; ${browser.cookie}`,
    `${ended.cookie}; ${browser.cookie}`,
    `"quoted"="; ${browser.cookie}`,
    `bad=%E0%A4%A; ${browser.cookie}`,
    `${'filler=0123456789; '.repeat(600)}${browser.cookie}`,
    `  ${name} = ${token}  `,
  ])
    await isBrowser(cookie);
  for (const cookie of ['', 'theme=dark', name, `${token}`, `x${browser.cookie}`, `a${name}=${token}`])
    expectProblem(await me({ ...browser, cookie }), 401, 'token_missing');
  for (const value of ['junk', 'pb_', `"${token}"`, encodeURIComponent(`${token} `), 'A'.repeat(14_000)])
    expectProblem(await me({ ...browser, cookie: `${name}=${value}` }), 401, 'token_invalid');
  expectProblem(
    await me({ ...browser, cookie: `${`${ended.cookie}; `.repeat(8)}${browser.cookie}` }),
    401,
    'token_invalid',
  );
  const huge = await fetch(`${api.url}/v1/auth/me`, { headers: { cookie: `${name}=${'A'.repeat(17_000)}` } });
  assert.equal(huge.status, 431);
});

test('cookie: a revoked role takes effect on another server at once', async () => {
  const browser = await openBrowser();
  const { id } = (await me(browser)).body;
  await transaction(api.sql, (tx) => setRole(tx, id, 'admin'));
  expectStatus(await send(browser, 'GET', '/v1/admin/flags', undefined, second), 200);
  await transaction(api.sql, (tx) => setRole(tx, id, 'user'));
  expectProblem(await send(browser, 'GET', '/v1/admin/flags', undefined, second), 403, 'not_admin');
});

test('cookie: the database contains only a hash of its token', async () => {
  const browser = await openBrowser();
  const token = browser.cookie.split('=')[1] ?? '';
  const secret = Buffer.from(token.slice(3), 'base64url').subarray(32);
  const { id } = await rowOf(browser);
  const [row] = await api.sql<{ whole: string }[]>`
    select sessions::text as whole from sessions where id = ${id}`;
  assert.ok(row && !row.whole.includes(secret.toString('hex')) && !row.whole.includes(token.slice(3)));
  const { body } = expectStatus(await send(browser, 'GET', '/v1/me/export'), 200);
  assert.equal(body.sessions.length, 1);
  assert.ok(!JSON.stringify(body).includes(token.slice(3, 60)));
});

test('cookie: `Vary` names the headers that determine the caller, and a record may not be stored by shared caches', async () => {
  const event = await createEvent(api, await createUser(api));
  const browser = await openBrowser();
  await rsvpGoing(api, await signIn(api, browser.phone), event.id);
  for (const path of [`/v1/events/${event.id}`, `/v1/events/${event.id}/calendar.ics`]) {
    const { headers } = expectStatus(await send(browser, 'GET', path), 200);
    assert.equal(headers.get('cache-control'), 'private, no-cache');
    assert.match(headers.get('vary') ?? '', /^Authorization, Cookie, Sec-Fetch-Site, Accept-Encoding$/);
  }
  const own = expectStatus(await send(browser, 'GET', `/v1/events/${event.id}`), 200);
  const etag = own.headers.get('etag') ?? '';
  const headers = { cookie: browser.cookie, 'if-none-match': etag };
  assert.equal((await fetch(`${api.url}/v1/events/${event.id}`, { headers })).status, 304);
  const crossSite = { ...headers, 'sec-fetch-site': 'cross-site' };
  const anonymous = expectStatus(
    await api.call('GET', `/v1/events/${event.id}`, { headers: crossSite }),
    200,
  );
  assert.ok(!('myRsvp' in anonymous.body));
  expectStatus(await api.call('GET', `/v1/events/${event.id}`, { headers: { 'if-none-match': etag } }), 200);
});

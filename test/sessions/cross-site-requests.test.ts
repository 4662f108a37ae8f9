/** Requests that other sites make a browser send: a cookie never authenticates them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, fromPage, nextPhone, requestCode, signInBrowser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const origin = 'https://potluck.example';
const api = await startTestApp({ env: { PUBLIC_URL: origin, DEV_CODES: 'on' } });
const cookie = await signInBrowser(api, nextPhone());

type Headers = Record<string, string>;
const call = (method: string, path: string, headers: Headers, more: object = {}, on = api) =>
  on.call(method, path, { headers: { cookie, ...headers }, ...more });

const site = (value: string): Headers => ({ 'sec-fetch-site': value });

/** Headers of requests that no page of the server sent. */
const foreign: Headers[] = [
  {},
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example' },
  { origin: 'http://potluck.example' },
  { origin: 'https://potluck.example:8443' },
  { origin: 'https://potluck.example:443' },
  { origin: 'https://sub.potluck.example' },
  { origin: 'https://potluck.example.evil.example' },
  { origin: 'https://potluck.example@evil.example' },
  { origin: 'https://evilpotluck.example' },
  { origin: `${origin}/` },
  { origin: `${origin}, https://evil.example` },
  { origin: 'https://evil.example', host: 'evil.example' },
  { host: 'potluck.example' },
  { referer: `${origin}/events` },
  site('cross-site'),
  site('same-site'),
  site('none'),
  site(''),
  site('Same-Origin'),
  site('same-origin, cross-site'),
  site('unknown'),
  // A browser sends both. `Sec-Fetch-Site` cannot be wrong.
  { ...site('cross-site'), origin },
  { ...site('same-site'), origin },
  { ...site('cross-site'), origin: 'null' },
];

const own: Headers[] = [
  { origin },
  fromPage,
  { ...fromPage, origin },
  // A form on a page with `Referrer-Policy: no-referrer` has no origin.
  { ...fromPage, origin: 'null' },
];

// spec: 5 POST /v1/auth/browser-session: protection against requests of other sites
test('writes: 403 cross_site_request with a cookie, unless a page of the server sent the request', async () => {
  for (const headers of foreign) {
    for (const [method, path, body] of [
      ['PATCH', '/v1/me', { bio: 'Forged' }],
      ['POST', '/v1/me/delete-code', undefined],
      ['DELETE', '/v1/me/calendar', undefined],
      ['POST', '/v1/auth/logout', undefined],
    ] as const) {
      const response = await call(method, path, headers, { body });
      expectProblem(response, 403, 'cross_site_request');
      assert.equal(response.headers.get('set-cookie'), null);
      assert.ok(response.body.detail.includes(origin));
    }
  }
  for (const headers of own)
    expectStatus(await call('PATCH', '/v1/me', headers, { body: { bio: 'Mine' } }), 200);
  assert.equal(expectStatus(await call('GET', '/v1/auth/me', {}), 200).body.bio, 'Mine');
});

test('writes: the 403 names the origin that the server expects and what it received; it repeats no other text', async () => {
  for (const [headers, expected] of [
    [{ origin: 'https://evil.example' }, 'its Origin is https://evil.example.'],
    [{}, 'it has no Origin.'],
    [{ origin: '<script>' }, 'its Origin is no address.'],
    [{ origin: `https://${'a'.repeat(300)}.example` }, 'its Origin is no address.'],
    [{ ...site('cross-site'), origin }, `its Origin is ${origin}, and its Sec-Fetch-Site is cross-site.`],
    [site('<b>'), 'it has no Origin.'],
  ] as [Headers, string][]) {
    const { body } = await call('PATCH', '/v1/me', headers, { body: {} });
    assert.ok(body.detail.startsWith(`No page of ${origin} sent this request: ${expected}`), body.detail);
  }
});

test('writes: 401 without a cookie and 200 with a token, whichever site sends the request', async () => {
  const { token } = await createUser(api);
  for (const headers of foreign) {
    expectProblem(await api.call('PATCH', '/v1/me', { headers, body: {} }), 401, 'token_missing');
    const body = { city: 'Oslo' };
    expectStatus(await api.call('PATCH', '/v1/me', { headers, token, body }), 200);
  }
});

test('writes: 403 for form posts and text bodies of other sites, before their media type is looked at; 415 for those of own pages', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
    const raw = '{"bio":"Forged","x":"="}';
    for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, site('cross-site'), {}])
      expectProblem(
        await call('PATCH', '/v1/me', { 'content-type': type, ...headers }, { raw }),
        403,
        'cross_site_request',
      );
    for (const path of ['/v1/events', '/v1/reports'])
      expectProblem(
        await call('POST', path, { 'content-type': type, ...fromPage }, { raw }),
        415,
        'unsupported_media_type',
      );
  }
});

test('reads: a cookie is ignored with Sec-Fetch-Site cross-site and same-site, for GET and HEAD', async () => {
  for (const headers of [site('cross-site'), site('same-site'), site('unknown')]) {
    expectProblem(await call('GET', '/v1/auth/me', headers), 401, 'token_missing');
    const list = expectStatus(await call('GET', '/v1/events', headers), 200);
    assert.equal(list.headers.get('set-cookie'), null);
    const head = await fetch(`${api.url}/v1/auth/me`, { method: 'HEAD', headers: { cookie, ...headers } });
    assert.equal(head.status, 401);
    // Also a cookie that is not valid: the request is anonymous.
    const junk = { ...headers, cookie: '__Host-potluck=junk' };
    expectStatus(await api.call('GET', '/v1/events', { headers: junk }), 200);
  }
  for (const headers of [{}, site('same-origin'), site('none'), { referer: 'https://evil.example/' }]) {
    expectStatus(await call('GET', '/v1/auth/me', headers), 200);
    const head = await fetch(`${api.url}/v1/auth/me`, { method: 'HEAD', headers: { cookie, ...headers } });
    assert.equal(head.status, 200);
  }
});

// spec: 5 POST /v1/auth/browser-session: protection against requests of other sites
test('sign-in: 403 cross_site_request without proof, also without a cookie; the code stays valid', async () => {
  const phone = nextPhone();
  const body = { phone, code: await requestCode(api, phone) };
  for (const headers of foreign) {
    const response = await api.call('POST', '/v1/auth/browser-session', { headers, body });
    expectProblem(response, 403, 'cross_site_request');
    assert.equal(response.headers.get('set-cookie'), null);
  }
  for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
    const headers = { 'content-type': type, origin: 'null' };
    const sent = await api.call('POST', '/v1/auth/browser-session', { headers, raw: JSON.stringify(body) });
    expectProblem(sent, 403, 'cross_site_request');
  }
  const { token } = await createUser(api);
  expectProblem(
    await api.call('POST', '/v1/auth/browser-session', { token, body }),
    403,
    'cross_site_request',
  );
  expectStatus(await api.call('POST', '/v1/auth/browser-session', { headers: { origin }, body }), 200);
});

test('plain HTTP on a LAN: the cookie works with neither Sec-Fetch-Site nor, for GET, Origin', async () => {
  const lan = 'http://192.168.1.20:3000';
  const server: TestApp = await api.startAnother({ env: { PUBLIC_URL: lan, DEV_CODES: 'on' } });
  const phone = nextPhone();
  const body = { phone, code: await requestCode(server, phone) };
  const headers = { origin: lan };
  const signedIn = expectStatus(
    await server.call('POST', '/v1/auth/browser-session', { headers, body }),
    200,
  );
  const lanCookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const send = (method: string, more: Headers = {}) =>
    server.call(method, method === 'GET' ? '/v1/auth/me' : '/v1/me/delete-code', {
      headers: { cookie: lanCookie, ...more },
    });
  expectStatus(await send('GET'), 200);
  expectStatus(await send('POST', headers), 202);
  for (const other of ['http://192.168.1.20:8080', 'http://192.168.1.20', 'http://192.168.1.21:3000', 'null'])
    expectProblem(await send('POST', { origin: other }), 403, 'cross_site_request');
  expectProblem(await send('POST'), 403, 'cross_site_request');
  // The name of the cookie has the port, so the cookie of a server on another port is another one.
  const named = { cookie: lanCookie.replace('-3000', '-8080') };
  expectProblem(await server.call('GET', '/v1/auth/me', { headers: named }), 401, 'token_missing');
});

test('CORS: no response allows credentials, whichever origins may read responses', async () => {
  for (const corsOrigins of ['*', 'https://app.example', 'off']) {
    const server = await api.startAnother({
      env: { PUBLIC_URL: origin, DEV_CODES: 'on', CORS_ORIGINS: corsOrigins },
    });
    for (const [method, path] of [
      ['GET', '/v1/events'],
      ['GET', '/v1/auth/me'],
      ['PATCH', '/v1/me'],
      ['OPTIONS', '/v1/me'],
      ['POST', '/v1/auth/browser-session'],
    ] as const) {
      const preflight = {
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'cookie',
      };
      const headers = { cookie, origin: 'https://app.example', ...site('cross-site'), ...preflight };
      const response = await server.call(method, path, { headers });
      assert.equal(response.headers.get('access-control-allow-credentials'), null, path);
    }
  }
});

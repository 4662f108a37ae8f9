/** Cookies of visitors: pages read the cookie of this server alone, and open with any cookies. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createUser, fromPage, requestCode, signInBrowser } from '../support/factories.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);
const event = await createEvent(api, organizer);
const own = await signInBrowser(api, organizer.phone);
const [name = '', token = ''] = own.split('=');
const paths = ['/', '/sign-in', '/people', `/e/${event.id}`, `/e/${event.id}/preview.png`];

/** Opens a page as from the address bar. */
async function open(path: string, cookie: string, headers: Record<string, string> = {}) {
  const response = await fetch(api.url + path, {
    headers: { cookie, 'sec-fetch-site': 'none', ...headers },
    redirect: 'manual',
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    isSignedIn: text.includes('href="/messages"'),
  };
}

const removal = new RegExp(`^${name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax$`);

test('cookie: pages are 200 with cookies of other servers, and keep them', async () => {
  for (const cookie of [
    'potluck-9999=x',
    '__Host-potluck=x',
    `x${own}`,
    `potluck=${token}`,
    `a${name}=x; b=${name}=`,
  ])
    for (const path of paths) {
      const page = await open(path, cookie);
      assert.deepEqual(
        [page.status, page.isSignedIn, page.headers.get('set-cookie')],
        [200, false, null],
        path,
      );
    }
  const signedIn = await open('/people', `potluck-9999=x; ${own}; __Host-potluck=x`);
  assert.deepEqual(
    [signedIn.status, signedIn.isSignedIn, signedIn.headers.get('set-cookie')],
    [200, true, null],
  );
});

test('cookie: pages are 200 and signed out with an invalid or ended cookie, and remove it', async () => {
  const ended = await signInBrowser(api, organizer.phone);
  const headers = { ...fromPage, cookie: ended };
  expectStatus(await api.call('POST', '/v1/auth/logout', { headers }), 200);
  const values = ['', 'x', 'pb_', `"${token}"`, `${token}A`, '%E0%A4%A', 'é', '=', 'A'.repeat(14_000)];
  for (const cookie of [ended, `${name} = x`, ...values.map((value) => `${name}=${value}`)])
    for (const path of paths) {
      const page = await open(path, cookie);
      assert.deepEqual([page.status, page.isSignedIn], [200, false], cookie);
      assert.match(page.headers.get('set-cookie') ?? '', removal);
      assert.equal(page.headers.get('cache-control'), 'private, no-cache');
    }
});

test('cookie: pages find the session beside invalid cookies with the same name, as another subdomain can set', async () => {
  for (const cookie of [`${name}=x; ${own}`, `${own}; ${name}=x`, `${name}=; ${name}=${token}A; ${own}`]) {
    const page = await open('/people', cookie);
    assert.deepEqual([page.status, page.isSignedIn, page.headers.get('set-cookie')], [200, true, null]);
  }
  const both = await open('/people', `${name}=x; ${name}=y`);
  assert.deepEqual([both.status, both.isSignedIn], [200, false]);
});

test('cookie: a sign-in with an invalid cookie removes it before it sets the new one', async () => {
  const person = await createUser(api);
  const code = await requestCode(api, person.phone);
  const response = await fetch(`${api.url}/sign-in?/enter`, {
    method: 'POST',
    body: new URLSearchParams({ phone: person.phone, code, next: '/people' }),
    headers: { ...fromPage, cookie: `${name}=x` },
    redirect: 'manual',
  });
  const last = response.headers.getSetCookie().findLast((each) => each.startsWith(`${name}=`)) ?? '';
  assert.ok(last.startsWith(`${name}=pb_`), last);
  assert.equal((await open('/people', last.split(';', 1)[0] ?? '')).isSignedIn, true);
});

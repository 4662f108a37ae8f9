/** The size of forms and of their fields. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createUser, fromPage, signInBrowser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const organizer = await createUser(api);
const cookie = await signInBrowser(api, organizer.phone);

type Body = URLSearchParams | string;
const send = (path: string, body: Body, headers: Record<string, string> = { cookie }) =>
  fetch(api.url + path, {
    method: 'POST',
    body,
    headers: { ...fromPage, 'accept-language': 'en', accept: 'text/html', ...headers },
    redirect: 'manual',
  });

const countRows = (html: string): number => [...html.matchAll(/name="itemTitle"/g)].length;

test('form: 400 with the limit at the field of a text that is too long', async () => {
  const response = await send(
    '/settings/profile?/profile',
    new URLSearchParams({ name: 'A', bio: 'x'.repeat(501) }),
  );
  assert.equal(response.status, 400);
  assert.match(await response.text(), /Too long\. The most is 500 characters\./);
});

test('form: characters are counted as the API counts them, without the spaces around the text', async () => {
  const bio = `  ${'\u{1f600}'.repeat(250)}${'\r\n'.repeat(200)}${'x'.repeat(50)}\r\n `;
  const fields = { name: 'Ana', username: 'ana.counts', bio, city: '' };
  const response = await send('/settings/profile?/profile', new URLSearchParams(fields));
  assert.equal(response.status, 200);
  const { body } = await api.get('/v1/auth/me', organizer.token);
  assert.equal([...body.bio].length, 500);
});

test('new event: the answer has one row more than the API takes, however many the form has', async () => {
  for (const action of ['rows', 'draft', 'publish', 'places']) {
    const response = await send(`/new?/${action}`, 'itemTitle=x&'.repeat(8_000), {
      cookie,
      'content-type': 'application/x-www-form-urlencoded',
    });
    assert.ok(response.status < 500, action);
    assert.equal(countRows(await response.text()), 101, action);
  }
});

test('new event: 303 to the sign-in for visitors who are signed out', async () => {
  for (const action of ['rows', 'draft', 'publish', 'places']) {
    const response = await send(`/new?/${action}`, new URLSearchParams({ address: 'a,'.repeat(40_000) }), {});
    assert.equal(response.status, 303, action);
    assert.match(`${response.headers.get('location')}`, /^\/sign-in\?/);
  }
});

test('form: 400 for a body that is no form', async () => {
  const type = { cookie, 'content-type': 'multipart/form-data; boundary=b' };
  for (const path of ['/language', '/settings/profile?/profile', '/new?/draft'])
    assert.equal((await send(path, 'a', type)).status, 400, path);
});

test('query: a text that is too long is cut, and the page is 200', async () => {
  const response = await fetch(`${api.url}/people?q=${'a'.repeat(9_000)}`, { headers: { cookie } });
  assert.equal(response.status, 200);
  assert.ok((await response.text()).includes(`value="${'a'.repeat(100)}"`));
});

/** The pages of the web app as HTTP sees them: headers, limits and forms. Their content has tests in a browser. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { often } from '../support/all-cases.ts';
import { createEvent, createItem, createUser, fromPage, signInBrowser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp({ pages: true, env: { CONTACT: 'https://example.org/legal' } });
const organizer = await createUser(api);

/** Sends a form as a browser does from a page of `origin`. */
const postForm = (path: string, fields: Record<string, string>, headers: Record<string, string>) =>
  fetch(`${api.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers,
    redirect: 'manual',
  });

test('page: 200 with a policy that allows only scripts of this server; texts of users are escaped', async () => {
  const coverUrl = 'https://pictures.example.com/p.png';
  await createEvent(api, organizer, { title: '<script>alert(1)</script> & "friends"', coverUrl });
  const { body, headers } = expectStatus(await api.get('/'), 200);
  const policy = headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self' 'sha256-[^ ;]+'(;|$)/);
  assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|https?:/);
  assert.ok(!body.includes('<script>alert'));
  assert.ok(body.includes('&lt;script>alert(1)&lt;/script> &amp; "friends"'));
  for (const [, source = ''] of body.matchAll(
    /<(?:script|img|link(?! rel="canonical")|source)[^>]* (?:src|href)="([^"]+)"/g,
  ))
    assert.ok(source.startsWith('/') && !source.startsWith('//'), source);
});

test('page: each page links to how people reach the operator', async () => {
  for (const path of ['/', '/sign-in', '/nowhere'])
    assert.match(
      await (await fetch(api.url + path)).text(),
      /<a href="https:\/\/example\.org\/legal"[^>]*>Contact<\/a>/,
      path,
    );
});

test('page: 200 compressed, also with unknown parameters; 404 in HTML for a path with two slashes', async () => {
  const headers = { 'accept-encoding': 'br' };
  const page = await fetch(`${api.url}/?utm_source=newsletter&fbclid=1`, { headers });
  assert.deepEqual([page.status, page.headers.get('content-encoding')], [200, 'br']);
  const response = await fetch(`${api.url}//elsewhere.example/people`);
  assert.equal(response.status, 404);
  assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
});

test('page: 404 for an unknown address, without its path and query in the HTML; other pages lead back to their query', async () => {
  const secret = 'pk_0123456789abcdef';
  for (const path of [
    `/nowhere/${secret}?token=${secret}`,
    `/?/${secret}`,
    `/people/${secret}?code=${secret}`,
  ]) {
    const response = await fetch(api.url + path);
    assert.equal(response.status, path.startsWith('/?') ? 200 : 404, path);
    assert.ok(!(await response.text()).includes(secret), path);
  }
  const body = await (await fetch(`${api.url}/?q=potluck&category=food`)).text();
  assert.ok(body.includes('href="/sign-in?next=%2F%3Fq%3Dpotluck%26category%3Dfood"'));
  assert.ok(body.includes('name="next" value="/?q=potluck&amp;category=food"'));
});

test('page: 200 that caches must not share, and that the Back button may show', async () => {
  const { headers } = expectStatus(await api.get('/'), 200);
  assert.equal(headers.get('cache-control'), 'private, no-cache');
  assert.equal(headers.get('referrer-policy'), 'same-origin');
});

test('page files: 200, cacheable for ever if their name has a hash, and compressed', async () => {
  const { body } = await api.get('/');
  const script = /href="(\/_app\/immutable\/[^"]+\.js)"/.exec(body)?.[1] ?? '';
  const response = await fetch(api.url + script, { headers: { 'accept-encoding': 'br' } });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('cache-control') ?? '', /immutable/);
  assert.equal(response.headers.get('content-encoding'), 'br');
  assert.equal((await fetch(`${api.url}/_app/immutable/none.js`)).status, 404);
  const outside = await fetch(`${api.url}/_app/..%2f..%2fserver%2fserver.js`);
  assert.equal(outside.status, 404);
});

test('page: 404 in HTML for an unknown path, and as a problem for an unknown path of the API', async () => {
  const page = await fetch(`${api.url}/nothing`);
  assert.equal(page.status, 404);
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
  expectProblem(await api.get('/v1/nothing'), 404, 'route_not_found');
  expectProblem(await api.post('/v1/nothing', undefined, { a: 1 }), 404, 'route_not_found');
});

test('form: 403 from a page of another site, and without any proof of the site', async () => {
  const fields = { language: 'de', next: '/' };
  for (const headers of [
    {},
    { origin: 'https://elsewhere.example' },
    { 'sec-fetch-site': 'cross-site', origin: api.url },
  ]) {
    const response = await postForm('/language', fields, headers);
    assert.equal(response.status, 403);
    assert.equal(response.headers.get('set-cookie'), null);
  }
  const own = await postForm('/language', fields, { 'sec-fetch-site': 'same-origin' });
  assert.equal(own.status, 303);
  assert.match(own.headers.get('set-cookie') ?? '', /^language=de;/);
});

test('form: 413 above 192 KiB', async () => {
  const fields = { next: 'x'.repeat(192 * 1024) };
  const response = await postForm('/language', fields, { 'sec-fetch-site': 'same-origin' });
  assert.equal(response.status, 413);
});

test('language: 200 in the language of the cookie, else of the browser, else English', async () => {
  const languageOf = async (headers: Record<string, string>) => {
    const body = await (await fetch(`${api.url}/sign-in`, { headers })).text();
    return /<html lang="(\w+)" dir="(\w+)">/.exec(body)?.slice(1);
  };
  assert.deepEqual(await languageOf({}), ['en', 'ltr']);
  assert.deepEqual(await languageOf({ 'accept-language': 'fr, ar;q=0.8, de;q=0.5' }), ['ar', 'rtl']);
  assert.deepEqual(await languageOf({ 'accept-language': 'sv; q=0.9, ar; q=0.8' }), ['sv', 'ltr']);
  assert.deepEqual(await languageOf({ 'accept-language': 'de;q=0, *;q=0.1, ar ; Q=0.05' }), ['ar', 'rtl']);
  assert.deepEqual(await languageOf({ 'accept-language': 'de;q=0' }), ['en', 'ltr']);
  assert.deepEqual(await languageOf({ 'accept-language': 'de', cookie: 'language=sv' }), ['sv', 'ltr']);
  assert.deepEqual(await languageOf({ 'accept-language': 'de', cookie: 'language=xx' }), ['de', 'ltr']);
});

test('rate limit: a page counts as one request, although it sends several to the API', async () => {
  const limited = await api.startAnother({ pages: true, env: { RATE_LIMIT: '100' } });
  const first = (await limited.get('/')).headers.get('ratelimit-remaining');
  const second = (await limited.get('/')).headers.get('ratelimit-remaining');
  assert.equal(Number(first) - Number(second), 1);
});

test('turns: 24 concurrent pages of one address all get 200', async () => {
  const limited = await api.startAnother({ pages: true, env: { RATE_LIMIT: '1000' } });
  const pages = await Promise.all(Array.from({ length: 24 }, () => limited.get('/')));
  assert.deepEqual([...new Set(pages.map(({ status }) => status))], [200]);
});

test('page: 503 in HTML with Retry-After without a database', async () => {
  const sql = connectSql('postgres://reader@127.0.0.1:1/none');
  const { url } = await api.startAnother({ pages: true, sql });
  const { status, headers } = await fetch(url);
  assert.equal(status, 503);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assert.ok(Number(headers.get('retry-after')) >= 1);
});

test('page: 503 without a database and with a session, as a page in all languages that needs no script', async () => {
  const cookie = await signInBrowser(api, organizer.phone);
  const sql = connectSql('postgres://reader@127.0.0.1:1/none');
  const { url } = await api.startAnother({ pages: true, sql });
  const response = await fetch(`${url}/people`, { headers: { accept: 'text/html', cookie } });
  assert.equal(response.status, 503);
  assert.ok(Number(response.headers.get('retry-after')) >= 1);
  assert.match(
    response.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self';/,
  );
  const body = await response.text();
  assert.doesNotMatch(body, /<script|<style|style=/);
  for (const language of ['en', 'de', 'sv', 'ar']) assert.match(body, new RegExp(`lang="${language}"`));
  const style = /rel="stylesheet" href="([^"]+)"/.exec(body)?.[1];
  assert.equal((await fetch(url + style)).status, 200);
});

test('data of a page: 503 with Retry-After without a database, also with a session, so that the page can ask again', async () => {
  const event = await createEvent(api, organizer);
  const cookie = await signInBrowser(api, organizer.phone);
  const sql = connectSql('postgres://reader@127.0.0.1:1/none');
  const { url } = await api.startAnother({ pages: true, sql });
  for (const headers of [{}, { cookie }] as Record<string, string>[]) {
    const response = await fetch(`${url}/e/${event.id}/__data.json`, { headers });
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
  }
});

test('data of a page: 503 without a database removes the cookie of a session that does not exist', async () => {
  const cookie = await signInBrowser(api, organizer.phone);
  const sql = connectSql('postgres://reader@127.0.0.1:1/none');
  const { url } = await api.startAnother({ pages: true, sql });
  const unknown = `${cookie.split('=', 1)[0]}=unknown`;
  const response = await fetch(`${url}/__data.json`, { headers: { ...fromPage, cookie: unknown } });
  assert.equal(response.status, 503);
  assert.match(response.headers.get('set-cookie') ?? '', /^potluck-\d+=; Max-Age=0;/);
});

test('form: repeated with the same key, it gets the first response again', async () => {
  const guest = await createUser(api, { name: 'Mika' });
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id);
  const cookie = await signInBrowser(api, guest.phone);
  const send = async (path: string, fields: Record<string, string>, key: string) => {
    const headers = { ...fromPage, cookie, accept: 'application/json', 'idempotency-key': key };
    const response = await postForm(path, fields, headers);
    return ((await response.json()) as { type: string }).type;
  };
  const claim = (key: string) => send(`/e/${event.id}?/claim`, { itemId: item.id, quantity: '1' }, key);
  assert.deepEqual([await claim('first'), await claim('first')], ['success', 'success']);
  assert.equal(await claim('second'), 'failure');
  const write = (key: string) => send(`/messages/${organizer.id}?/send`, { text: 'Hello' }, key);
  for (const key of ['a', 'a', 'b']) assert.notEqual(await write(key), 'failure');
  const { body } = await api.get(`/v1/users/${guest.id}/messages`, organizer.token);
  assert.equal(body.data.length, 2);
});

test('form without scripts: 200 with what it has changed', async () => {
  const guest = await createUser(api, { name: 'Mika' });
  const { id } = await createEvent(api, organizer);
  const cookie = await signInBrowser(api, guest.phone);
  const before = await (await fetch(`${api.url}/e/${id}`, { headers: { cookie } })).text();
  assert.match(before, /goingCount:0,/);
  const after = await postForm(
    `/e/${id}?/rsvp`,
    { status: 'going' },
    { ...fromPage, cookie, accept: 'text/html' },
  );
  assert.equal(after.status, 200);
  assert.match(await after.text(), /goingCount:1,/);
});

test('page: 400 for a search that the database cannot store', async () => {
  const response = await fetch(`${api.url}/?q=a%00b`);
  assert.equal(response.status, 400);
});

test('who brings what as CSV: 200 with each of many claims on an item, and with the items without claims', async () => {
  const count = often(2_050, 250);
  const event = await createEvent(api, organizer);
  const item = await createItem(api, organizer, event.id, { title: 'Bread', quantityNeeded: 3_000 });
  await createItem(api, organizer, event.id, { title: '=Salt;=HYPERLINK(A1)', quantityNeeded: 1 });
  const n = Number(item.id.split('.')[1]);
  const people = await api.sql<{ id: string }[]>`
    insert into users (id, phone, name, username, bio, city, is_private, role, search, created_at)
    select gen_random_uuid(), '+999' || i, 'Guest ' || i, 'csv_guest_' || i, '', '', false, 'user', '', now()
    from generate_series(1, ${count}) i returning id`;
  await api.sql`
    insert into claims (event_id, n, user_id, id, quantity, created_at)
    select ${event.id}, ${n}, id, gen_random_uuid(), 1, now() from unnest(${people.map(({ id }) => id)}::uuid[]) id`;
  await api.sql`update item_stock set claimed = ${count} where event_id = ${event.id} and n = ${n}`;
  const cookie = await signInBrowser(api, organizer.phone);
  const response = await fetch(`${api.url}/e/${event.id}/bring.csv`, { headers: { cookie } });
  assert.equal(response.status, 200);
  const lines = (await response.text()).trimEnd().split('\r\n');
  assert.equal(lines.length, 1 + count + 1);
  assert.equal(new Set(lines.filter((line) => /^"Bread",.*,"Guest \d+",1,""$/.test(line))).size, count);
  assert.match(lines.at(-1) ?? '', /^"'=Salt;'=HYPERLINK\(A1\)","[^,]+",1,0,"","",""$/);
});

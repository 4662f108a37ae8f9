/** Cached pages for visitors who are not signed in: current on every server, and apart from those of others. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  createAdmin,
  createEvent,
  createItem,
  createUser,
  inDays,
  rsvpGoing,
  signInBrowser,
} from '../support/factories.ts';
import { expectStatus, startTestApp, type TestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const other = await api.startAnother({ pages: true });
const organizer = await createUser(api);

type Html = { status: number; headers: Headers; text: string };

async function open(on: TestApp, path: string, headers: Record<string, string> = {}): Promise<Html> {
  const response = await fetch(on.url + path, { headers, redirect: 'manual' });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Opens a page twice on both servers, the second time from their caches. Returns the second ones. */
async function openOften(path: string): Promise<Html[]> {
  const pages: Html[] = [];
  for (const on of [api, other]) {
    const [first, second] = [await open(on, path), await open(on, path)];
    assert.equal(etagOf(first), etagOf(second));
    pages.push(second);
  }
  return pages;
}

const etagOf = ({ headers }: Html) => headers.get('etag') ?? '';

test('page of an event: 200 with the same ETag until something changes, and 304 for that ETag', async () => {
  const { id } = await createEvent(api, organizer, { title: 'Quiet evening' });
  const pages = await openOften(`/e/${id}`);
  assert.ok(pages.every(({ status, text }) => status === 200 && text.includes('Quiet evening')));
  const [page] = pages;
  assert.ok(page);
  const again = await open(api, `/e/${id}`, { 'if-none-match': etagOf(page) });
  assert.deepEqual([again.status, again.text], [304, '']);
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self' 'sha256-/);
});

test('page of an event: an edit, an RSVP, a claim and a cancellation are shown to the next request on every server', async () => {
  const { id } = await createEvent(api, organizer);
  const item = await createItem(api, organizer, id, { quantityNeeded: 3 });
  const guest = await createUser(api);
  const path = `/e/${id}`;

  /** Makes a change on one server, and expects another page on both. */
  const expectChange = async (change: () => Promise<unknown>, expected?: RegExp) => {
    const before = new Set((await openOften(path)).map(etagOf));
    await change();
    for (const on of [other, api]) {
      const page = await open(on, path);
      assert.ok(!before.has(etagOf(page)), 'the page is the one before the change');
      if (expected) assert.match(page.text, expected);
    }
  };

  const patch = (body: object) => api.patch(`/v1/events/${id}`, organizer.token, body);
  await expectChange(async () => expectStatus(await patch({ title: 'Now indoors' }), 200), /Now indoors/);
  await expectChange(() => rsvpGoing(api, guest, id));
  await expectChange(async () =>
    expectStatus(await api.post(`/v1/items/${item.id}/claim`, guest.token, { quantity: 2 }), 201),
  );
  await expectChange(async () =>
    expectStatus(await api.patch('/v1/me', organizer.token, { name: 'Renamed Host' }), 200),
  );
  await expectChange(async () => expectStatus(await patch({ status: 'cancelled' }), 200));
  expectStatus(await patch({ visibility: 'private' }), 200);
  assert.equal((await open(other, path)).status, 404);
  assert.equal((await open(api, path)).status, 404);
});

test('page of an event: 404 at once on every server when its organizer is suspended', async () => {
  const person = await createUser(api);
  const { id } = await createEvent(api, person);
  await openOften(`/e/${id}`);
  const admin = await createAdmin(api);
  expectStatus(await api.post(`/v1/admin/users/${person.id}/suspend`, admin.token, { reason: 'Spam' }), 200);
  assert.equal((await open(other, `/e/${id}`)).status, 404);
});

test('front page: a new event is shown to the next request on every server', async () => {
  await openOften('/');
  await createEvent(api, organizer, {
    title: 'Brand new picnic',
    startAt: inDays(0, 2),
    endAt: inDays(0, 4),
  });
  for (const on of [other, api]) assert.match((await open(on, '/')).text, /Brand new picnic/);
});

test('cached page: each language has its own, by cookie and then by Accept-Language', async () => {
  const { id } = await createEvent(api, organizer);
  const languageOf = async (headers: Record<string, string>) => {
    const { text } = await open(api, `/e/${id}`, headers);
    return /<html lang="(\w+)" dir="(\w+)">/.exec(text)?.slice(1).join(' ');
  };
  for (const _round of [1, 2]) {
    assert.equal(await languageOf({}), 'en ltr');
    assert.equal(await languageOf({ 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }), 'de ltr');
    assert.equal(await languageOf({ 'accept-language': 'fr, sv;q=0.5, de;q=0.4' }), 'sv ltr');
    assert.equal(await languageOf({ cookie: 'language=ar', 'accept-language': 'de' }), 'ar rtl');
    assert.equal(await languageOf({ cookie: 'language=xx', 'accept-language': 'de' }), 'de ltr');
  }
});

test('cached page: times have twelve hours in English for visitors from regions that count so', async () => {
  const { id } = await createEvent(api, organizer, {
    startAt: `${inDays(3).slice(0, 10)}T17:00:00Z`,
    endAt: `${inDays(3).slice(0, 10)}T20:30:00Z`,
    timezone: 'UTC',
  });
  const clockOf = async (headers: Record<string, string>) => {
    const { text } = await open(api, `/e/${id}`, headers);
    return /5:00\s–\s8:30\spm|17:00–20:30/.exec(text)?.[0].replaceAll(/\s/g, ' ');
  };
  for (const _round of [1, 2]) {
    assert.equal(await clockOf({}), '17:00–20:30');
    assert.equal(await clockOf({ 'accept-language': 'en-US,en;q=0.9' }), '5:00 – 8:30 pm');
    assert.equal(await clockOf({ 'accept-language': 'en-GB,en-US;q=0.9' }), '17:00–20:30');
    assert.equal(await clockOf({ 'accept-language': 'en' }), '17:00–20:30');
    assert.equal(await clockOf({ 'accept-language': 'fr-CA' }), '5:00 – 8:30 pm');
    assert.equal(await clockOf({ 'accept-language': 'de-DE,en-US;q=0.9' }), '17:00–20:30');
    assert.equal(await clockOf({ cookie: 'language=de', 'accept-language': 'en-US' }), '17:00–20:30');
  }
});

test('cached page: a change of the contact and of the language of the instance is shown to the next request on every server', async () => {
  const { token } = await createAdmin(api);
  const { id } = await createEvent(api, organizer);
  const change = (body: object) => api.patch('/v1/admin/settings', token, body);
  for (const path of ['/', `/e/${id}`]) {
    await openOften(path);
    expectStatus(await change({ contact: 'hello@example.org', language: 'sv' }), 200);
    for (const on of [other, api]) {
      const { text } = await open(on, path);
      assert.match(text, /<html lang="sv"/);
      assert.ok(text.includes('href="mailto:hello@example.org"'));
    }
    await openOften(path);
    expectStatus(await change({ contact: null, language: 'en' }), 200);
    for (const on of [other, api]) {
      const { text } = await open(on, path);
      assert.match(text, /<html lang="en"/);
      assert.ok(!text.includes('mailto:hello@example.org'));
    }
  }
});

test('cached page: visitors who are signed in, or send another cookie, get a page of their own', async () => {
  const { id } = await createEvent(api, organizer);
  const guest = await createUser(api);
  await openOften(`/e/${id}`);
  const cookie = await signInBrowser(api, guest.phone);
  const own = await open(api, `/e/${id}`, { cookie });
  assert.match(own.text, /href="\/messages"/);
  for (const page of await openOften(`/e/${id}`)) {
    assert.doesNotMatch(page.text, /href="\/messages"/);
    assert.equal(page.headers.get('set-cookie'), null);
  }
});

test('cached page: compressed for clients that accept it, with the same content', async () => {
  const { id } = await createEvent(api, organizer);
  const plain = await open(api, `/e/${id}`, { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('content-encoding'), null);
  for (const encoding of ['br', 'gzip']) {
    const page = await open(api, `/e/${id}`, { 'accept-encoding': encoding });
    assert.equal(page.headers.get('content-encoding'), encoding);
    assert.match(page.headers.get('vary') ?? '', /Cookie, Accept-Language, Accept-Encoding/);
    assert.equal(page.text, plain.text);
  }
});

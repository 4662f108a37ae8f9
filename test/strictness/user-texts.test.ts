/** What the server does with texts that are made to take long. A test cannot measure a time, so it looks at what is called. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  callAsPage,
  listFields,
  listOperations,
  type Schema,
  withChangedField,
} from '../operations/openapi-operations.ts';
import { areAllCases, sampleOf } from '../support/all-cases.ts';
import {
  createEvent,
  createItem,
  createUser,
  fromPage,
  rsvpGoing,
  signInBrowser,
} from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true });
const call = callAsPage(api);
const me = await createUser(api);
const event = await createEvent(api, me);
const item = await createItem(api, me, event.id);
const ids = { event: event.id, item: item.id, user: me.id };
const { withQuery, withBody } = await listOperations(api, ids);
const cookie = await signInBrowser(api, me.phone);

/** The schema of a field that takes any text. */
const textOf = (schema: Schema): Schema | undefined =>
  (schema.anyOf ?? [schema]).find((each) => each.type === 'string' && !each.enum);
/** The header of a request has less than 16 KiB. */
const maxQuery = 1_000;

/** Sends a text in every field and every parameter that takes texts. @param write the text of a length */
async function sendEverywhere(write: (length: number) => string): Promise<void> {
  for (const { method, path, schema, example } of sampleOf(withBody, 3))
    for (const field of listFields(schema)) {
      const text = textOf(field.schema);
      if (!text) continue;
      const body = withChangedField(example, field.path, write(text.maxLength ?? 100));
      assert.ok((await call(method, path, { token: me.token, body })).status < 500, `${method} ${path}`);
    }
  for (const { method, path, parameters } of sampleOf(withQuery, 3))
    for (const { name, schema } of parameters) {
      if (schema.type !== 'string' || schema.enum) continue;
      const query = new URLSearchParams({ [name]: write(Math.min(schema.maxLength ?? 100, maxQuery)) });
      const { status } = await call(method, `${path}?${query}`, { token: me.token });
      assert.ok(status < 500, `${method} ${path} ${name}`);
    }
}

async function openPages(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const response = await fetch(api.url + path, { headers: { cookie } });
    assert.ok(response.status < 500, path);
    await response.text();
  }
}

async function sendForm(path: string, fields: Record<string, string>): Promise<void> {
  const body = new URLSearchParams(fields);
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: fromPage,
    body,
    redirect: 'manual',
  });
  assert.ok(response.status < 500, path);
  await response.text();
}

test('combining marks: no text in a field, a parameter or a page reaches the normalization of Unicode with a run above 30', async (t) => {
  const marks = (length: number) => `ü${'\u0301\u0323'.repeat(length / 2)}`.slice(0, length);
  const { id } = await createEvent(api, me, {
    title: marks(140),
    description: marks(10_000),
    location: { address: marks(300), lat: 1, lng: 2 },
  });
  await createItem(api, me, id, { title: marks(120), description: marks(1_000) });
  await rsvpGoing(api, await createUser(api, { name: marks(80) }), id);
  const texts: string[] = [];
  const { normalize } = String.prototype;
  t.after(() => Object.assign(String.prototype, { normalize }));
  String.prototype.normalize = function (form?: string) {
    texts.push(`${this}`);
    return normalize.call(this, form);
  };
  await sendEverywhere(marks);
  const q = encodeURIComponent(marks(1_000));
  await openPages(`/?q=${q}`, `/?place=${q}`, `/people?q=${q}`, `/calendar?place=${q}`);
  await openPages(
    `/e/${id}?q=${q}`,
    `/e/${id}/guest-list?q=${q}`,
    `/e/${id}/bring?by=person`,
    `/e/${id}/edit`,
  );
  await sendForm('/new?/places', { address: marks(500) });
  const long = texts.filter((text) => /[\p{M}\uff9e\uff9f]{31}/u.test(text));
  assert.deepEqual(
    long.map((text) => text.length),
    [],
  );
  assert.ok(texts.length > 50, `only ${texts.length} texts were normalized`);
});

test('hosts: no address in a field, a parameter, a header or a page reaches URL with a host above 253 characters', async (t) => {
  const letters = (length: number) =>
    Array.from({ length }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
  const hosts: string[] = [];
  const record = (address: unknown) => {
    const host = /^[a-z]*:?[/\\]{2,}([^/\\?#]*)/i.exec(String(address))?.[1] ?? '';
    if (host.length > 300) hosts.push(host);
  };
  const { URL: original } = globalThis;
  let count = 0;
  globalThis.URL = class extends original {
    constructor(address: string | URL, base?: string | URL) {
      count++;
      record(address);
      super(address, base);
    }
    static override parse(address: string | URL, base?: string | URL) {
      record(address);
      return original.parse(address, base);
    }
    static override canParse(address: string | URL, base?: string | URL) {
      record(address);
      return original.canParse(address, base);
    }
  };
  t.after(() => Object.assign(globalThis, { URL: original }));
  await sendEverywhere((length) => `http://${letters(length)}`.slice(0, length));
  if (areAllCases) await sendEverywhere((length) => `//${letters(length)}`.slice(0, length));
  const { id } = await createEvent(api, me, { description: `See http://${letters(9_000)}/ there` });
  const encoded = encodeURIComponent(letters(1_000));
  await openPages(`/e/${id}`, `/e/${id}?q=a`, `//${encoded}/`, `/sign-in?next=http://${encoded}/`);
  for (const next of [`http://${letters(5_000)}/`, `//${letters(5_000)}`, `\\\\${letters(5_000)}`])
    await sendForm('/language', { language: 'sv', next });
  for (const path of ['/docs/', '/'])
    await call('GET', path, { headers: { host: encoded, origin: `http://${encoded}` } });
  globalThis.URL = original;
  assert.deepEqual(hosts, []);
  assert.ok(count > 10, 'the constructor is not replaced');
});

/** Validation of request bodies. Most tests iterate over the operations of the OpenAPI document. */
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  callAsPage,
  errorPaths,
  expectFieldError,
  listFields,
  listOperations,
  type Schema,
  withChangedField,
} from '../operations/openapi-operations.ts';
import { sampleOf } from '../support/all-cases.ts';
import { createEvent, createItem, createUser, eventBody } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const call = callAsPage(api);
const me = await createUser(api);
const event = await createEvent(api, me);
const item = await createItem(api, me, event.id);
const { withBody } = await listOperations(api, { event: event.id, item: item.id, user: me.id });

const send = (method: string, path: string, raw: string | Buffer, type = 'application/json') =>
  call(method, path, { token: me.token, raw: raw as string, headers: { 'content-type': type } });

test('body: 400 naming the field for every field of a wrong type; values are not coerced', async () => {
  const values = ['3', 3, true, null, [2], {}, ['x']];
  const fits = (schema: Schema, value: unknown): boolean =>
    (schema.anyOf ?? [schema]).some(({ type }) =>
      type === 'integer' || type === 'number'
        ? typeof value === 'number'
        : type === 'null'
          ? value === null
          : type === 'array'
            ? Array.isArray(value)
            : type === 'object'
              ? typeof value === 'object' && value !== null && !Array.isArray(value)
              : typeof value === type,
    );
  let tried = 0;
  for (const { method, path, schema, example } of withBody) {
    for (const field of listFields(schema)) {
      for (const value of sampleOf(
        values.filter((value) => !fits(field.schema, value)),
        4,
      )) {
        const response = await call(method, path, {
          token: me.token,
          body: withChangedField(example, field.path, value),
        });
        expectFieldError(response, field.path, `${method} ${path} ${field.path} = ${JSON.stringify(value)}`);
      }
      tried++;
    }
  }
  assert.ok(tried > 40, `${tried}`);
});

test('body: 400 naming the field for NUL and unpaired surrogates in every text', async () => {
  let tried = 0;
  for (const { method, path, schema, example } of withBody) {
    for (const field of listFields(schema)) {
      if (!(field.schema.anyOf ?? [field.schema]).some(({ type }) => type === 'string')) continue;
      for (const text of sampleOf(['a\u0000bc', '\ud800abc', 'abc\udc00', '\udc00\ud800'], 4)) {
        const response = await call(method, path, {
          token: me.token,
          body: withChangedField(example, field.path, text),
        });
        expectFieldError(response, field.path, `${method} ${path} ${field.path}`);
      }
      tried++;
    }
  }
  assert.ok(tried > 20, `${tried}`);
});

test('body: 400 naming a missing field and an unknown field, at any depth', async () => {
  for (const { method, path, schema, example } of withBody) {
    for (const name of schema.required ?? []) {
      expectFieldError(
        await call(method, path, { token: me.token, body: withChangedField(example, name, undefined) }),
        name,
        path,
      );
    }
    for (const name of sampleOf(['surprise', '__proto__', 'constructor', 'toString', ''], 2)) {
      const raw = JSON.stringify(example).replace(
        '{',
        `{${JSON.stringify(name)}:{"prototype":{"role":"admin"}},`,
      );
      expectFieldError(await send(method, path, raw), name || 'body', `${method} ${path} ${name}`);
    }
  }
  const body = eventBody({ location: { address: 'Here', lat: 1, surprise: 2 } });
  const response = expectProblem(await api.post('/v1/events', me.token, body), 400, 'invalid_request');
  assert.deepEqual(errorPaths(response).sort(), ['location.lng', 'location.surprise']);
});

test('body: 400 naming all invalid fields, at most twenty', async () => {
  const body = { kind: 'gift', quantityNeeded: '3', link: 'ftp://example.org', colour: 'red' };
  const response = expectProblem(
    await api.post(`/v1/events/${event.id}/items`, me.token, body),
    400,
    'invalid_request',
  );
  assert.deepEqual(errorPaths(response).sort(), ['colour', 'kind', 'link', 'quantityNeeded', 'title']);
  for (const path of errorPaths(response)) assert.ok(response.body.detail.includes(path));
  const keys = (count: number) =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${'k'.repeat(500)}${i}`.slice(-500), i])),
    );
  const many = expectProblem(await send('PATCH', '/v1/me', keys(400)), 400, 'invalid_request');
  assert.equal(errorPaths(many).length, 20);
  assert.ok(JSON.stringify(many.body).length < 10_000);
  // A body with far more fields than any route takes gets one error: naming every field would take seconds.
  const huge = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
  for (const body of [JSON.stringify(huge), JSON.stringify({ enabledModules: Array(200_000).fill(1) })]) {
    assert.deepEqual(errorPaths(expectProblem(await send('PATCH', '/v1/me', body), 400, 'invalid_request')), [
      'body',
    ]);
  }
});

test('body: 400 for numbers that are malformed, fractional or out of range; -0 becomes 0', async () => {
  const item = (quantityNeeded: string) =>
    send(
      'POST',
      `/v1/events/${event.id}/items`,
      `{"title":"Bread","kind":"bring","quantityNeeded":${quantityNeeded}}`,
    );
  for (const number of [
    '1e400',
    '-1e400',
    '2147483648',
    '9007199254740993',
    '1.5',
    '0',
    '-0',
    '-1',
    '10001',
    '1e-7',
  ]) {
    expectFieldError(await item(number), 'quantityNeeded', number);
  }
  for (const number of ['NaN', 'Infinity', '-Infinity', '0x10', '01', '1_000', '+1', '.5', '1.']) {
    expectProblem(await item(number), 400, 'malformed_json');
  }
  for (const number of ['1', '1.0', '1e3', '10000']) expectStatus(await item(number), 201);
  const { body } = expectStatus(
    await api.post(
      '/v1/events',
      me.token,
      eventBody({ price: 0, location: { address: 'Here', lat: 0, lng: 0 } }),
    ),
    201,
  );
  const zero = await send(
    'PATCH',
    `/v1/events/${body.id}`,
    '{"price":-0,"capacity":-0,"location":{"address":"Here","lat":-0.0,"lng":-0}}',
  );
  expectStatus(zero, 200);
  assert.deepEqual([zero.body.price, zero.body.capacity], [0, 0]);
});

test('body: 400 malformed_json for invalid JSON and invalid UTF-8', async () => {
  const bad = [
    '{',
    '{"name":"x"',
    "{'name':'x'}",
    '{"name":"x",}',
    'name=x',
    '{"name":"a\nb"}',
    '{"name":"x"}}',
    '\u0000',
    'undefined',
  ];
  for (const raw of bad) expectProblem(await send('PATCH', '/v1/me', raw), 400, 'malformed_json');
  for (const bytes of [[0xff], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xc3]]) {
    const raw = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expectProblem(await send('PATCH', '/v1/me', raw), 400, 'malformed_json');
  }
  const utf16 = Buffer.from('{"name":"x"}', 'utf16le');
  expectProblem(await send('PATCH', '/v1/me', utf16), 400, 'malformed_json');
});

test('body: 400 for an array, text, number, boolean, null or empty body where an object is required', async () => {
  for (const { method, path } of withBody) {
    for (const raw of sampleOf(['[]', '[{}]', '"name"', '7', 'true', 'null'], 3))
      expectFieldError(await send(method, path, raw), 'body', path);
    expectFieldError(await call(method, path, { token: me.token }), 'body', path);
    expectFieldError(await send(method, path, ''), 'body', path);
  }
});

test('body: 200 for a duplicate key; the last value is used', async () => {
  const response = expectStatus(await send('PATCH', '/v1/me', '{"city":"Oslo","city":"Bergen"}'), 200);
  assert.equal(response.body.city, 'Bergen');
});

test('body: 400 for JSON with 100,000 levels on every route', async () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['{"name":', '}'],
  ] as const) {
    const raw = `${open.repeat(100_000)}1${close.repeat(100_000)}`;
    expectProblem(await send('POST', '/v1/events', `{"location":${raw}}`), 400, 'invalid_request');
    for (const path of ['/v1/events', `/v1/users/${me.id}/follow`, '/v1/auth/otp/request']) {
      expectProblem(await send('POST', path, raw), 400, 'invalid_request');
    }
  }
});

test('body: 413 above one mebibyte, 200 at one mebibyte', async () => {
  const body = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
  expectFieldError(await send('PATCH', '/v1/me', body(1_048_576)), 'name', 'the whole mebibyte');
  expectProblem(await send('PATCH', '/v1/me', body(1_048_577)), 413, 'payload_too_large');
  expectStatus(await send('PATCH', '/v1/me', `${' '.repeat(1_048_576 - 15)}{"city":"Oslo"}`), 200);
});

test('body: 400 without delay for bodies of one mebibyte that are designed to be slow to validate', async () => {
  const size = 1_000_000;
  const slow = [
    { name: `${'a'.repeat(size)}\n` },
    { name: `${' '.repeat(size)}\n` },
    { city: `${'\u200b'.repeat(size / 4)}\u0000` },
    { bio: 'a\u0301'.repeat(size / 4) },
    { username: `${'a'.repeat(size)}!` },
  ];
  for (const body of slow) expectProblem(await api.patch('/v1/me', me.token, body), 400, 'invalid_request');
  const lists = {
    enabledModules: Array.from({ length: 60_000 }, (_, i) => `module${i}`),
    timezone: '+'.repeat(200_000),
  };
  expectProblem(await api.patch(`/v1/events/${event.id}`, me.token, lists), 400, 'invalid_request');
});

test('body: 415 for any media type but JSON; parameters and letter case are ignored', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/json5',
    'application/ld+json',
    'application/octet-stream',
    'json',
    '*/*',
    'application/',
  ]) {
    expectProblem(await send('PATCH', '/v1/me', '{"city":"Oslo"}', type), 415, 'unsupported_media_type');
    expectProblem(await send('POST', `/v1/users/${me.id}/follow`, '{}', type), 415, 'unsupported_media_type');
  }
  const untyped = new Blob(['{"city":"Oslo"}']).stream();
  const response = await fetch(`${api.url}/v1/me`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${me.token}` },
    body: untyped,
    duplex: 'half',
  });
  assert.equal(response.status, 415);
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; profile=x',
  ]) {
    expectStatus(await send('PATCH', '/v1/me', '{"city":"Oslo"}', type), 200);
  }
});

test('body: a route without a body accepts an empty object, and an empty body of any media type', async () => {
  const other = await createUser(api);
  const follow = `/v1/users/${other.id}/follow`;
  expectStatus(await send('POST', follow, '{}'), 200);
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    expectStatus(await send('POST', follow, '', type), 200);
    expectStatus(await call('DELETE', follow, { token: me.token, headers: { 'content-type': type } }), 200);
  }
  expectFieldError(await send('POST', follow, '{"userId":1}'), 'userId', 'an unknown field');
  for (const raw of ['[]', '[1]', '"x"', '1', 'true'])
    expectFieldError(await send('POST', follow, raw), 'body', raw);
  expectProblem(await send('DELETE', follow, '{'), 400, 'malformed_json');
});

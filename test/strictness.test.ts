/** What bodies may hold. Most tests walk the OpenAPI document. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { createEvent, createItem, createUser, eventBody } from './factories.ts';
import {
  errorPaths,
  expectFieldError,
  listFields,
  listOperations,
  type Schema,
  withChangedField,
} from './openapi-operations.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const me = await createUser(api);
const event = await createEvent(api, me);
const item = await createItem(api, me, event.id);
const { withBody } = await listOperations(api, { event: event.id, item: item.id, user: me.id });

const send = (method: string, path: string, raw: string | Buffer, type = 'application/json') =>
  api.call(method, path, { token: me.token, raw: raw as string, headers: { 'content-type': type } });

test('body: 400 naming the field for every field of a wrong type; nothing is coerced', async () => {
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
      for (const value of values.filter((value) => !fits(field.schema, value))) {
        const answer = await api.call(method, path, {
          token: me.token,
          body: withChangedField(example, field.path, value),
        });
        expectFieldError(answer, field.path, `${method} ${path} ${field.path} = ${JSON.stringify(value)}`);
        tried++;
      }
    }
  }
  assert.ok(tried > 150, `${tried}`);
});

test('body: 400 naming the field for NUL and half surrogate pairs in every text', async () => {
  let tried = 0;
  for (const { method, path, schema, example } of withBody) {
    for (const field of listFields(schema)) {
      if (!(field.schema.anyOf ?? [field.schema]).some(({ type }) => type === 'string')) continue;
      for (const text of ['a\u0000bc', '\ud800abc', 'abc\udc00', '\udc00\ud800']) {
        const answer = await api.call(method, path, {
          token: me.token,
          body: withChangedField(example, field.path, text),
        });
        expectFieldError(answer, field.path, `${method} ${path} ${field.path}`);
        tried++;
      }
    }
  }
  assert.ok(tried > 80, `${tried}`);
});

test('body: 400 naming the field for one that is missing, and for one that is not known, at any depth', async () => {
  for (const { method, path, schema, example } of withBody) {
    for (const name of schema.required ?? []) {
      expectFieldError(
        await api.call(method, path, { token: me.token, body: withChangedField(example, name, undefined) }),
        name,
        path,
      );
    }
    for (const name of ['surprise', '__proto__', 'constructor', 'toString', '']) {
      const raw = JSON.stringify(example).replace(
        '{',
        `{${JSON.stringify(name)}:{"prototype":{"role":"admin"}},`,
      );
      expectFieldError(await send(method, path, raw), name || 'body', `${method} ${path} ${name}`);
    }
  }
  const body = eventBody({ location: { address: 'Here', lat: 1, surprise: 2 } });
  const answer = expectProblem(await api.post('/v1/events', me.token, body), 400, 'invalid_request');
  assert.deepEqual(errorPaths(answer).sort(), ['location.lng', 'location.surprise']);
});

test('body: 400 naming all faults at once, up to twenty', async () => {
  const body = { kind: 'gift', quantityNeeded: '3', link: 'ftp://example.org', colour: 'red' };
  const answer = expectProblem(
    await api.post(`/v1/events/${event.id}/items`, me.token, body),
    400,
    'invalid_request',
  );
  assert.deepEqual(errorPaths(answer).sort(), ['colour', 'kind', 'link', 'quantityNeeded', 'title']);
  for (const path of errorPaths(answer)) assert.ok(answer.body.detail.includes(path));
  const keys = (count: number) =>
    JSON.stringify(
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`${'k'.repeat(500)}${i}`.slice(-500), i])),
    );
  const many = expectProblem(await send('PATCH', '/v1/me', keys(400)), 400, 'invalid_request');
  assert.equal(errorPaths(many).length, 20);
  assert.ok(JSON.stringify(many.body).length < 10_000);
  // Beyond any body that a route takes, none is named: naming a hundred thousand would take seconds.
  const huge = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]));
  for (const body of [JSON.stringify(huge), JSON.stringify({ enabledModules: Array(200_000).fill(1) })]) {
    assert.deepEqual(errorPaths(expectProblem(await send('PATCH', '/v1/me', body), 400, 'invalid_request')), [
      'body',
    ]);
  }
});

test('body: 400 for numbers that are none, not whole or out of range; -0 is 0', async () => {
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

test('body: 400 malformed_json for what is no JSON or no UTF-8', async () => {
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
  expectProblem(
    await send('PATCH', '/v1/me', utf16, 'application/json; charset=utf-16'),
    400,
    'malformed_json',
  );
});

test('body: 400 for an array, a text, a number, null, or nothing where an object is wanted', async () => {
  for (const { method, path } of withBody) {
    for (const raw of ['[]', '[{}]', '"name"', '7', 'true', 'null'])
      expectFieldError(await send(method, path, raw), 'body', path);
    expectFieldError(await api.call(method, path, { token: me.token }), 'body', path);
    expectFieldError(await send(method, path, ''), 'body', path);
  }
});

test('body: 200 where the same key comes twice, and the last one counts', async () => {
  const answer = expectStatus(await send('PATCH', '/v1/me', '{"city":"Oslo","city":"Bergen"}'), 200);
  assert.equal(answer.body.city, 'Bergen');
});

test('body: 400 for JSON a hundred thousand levels deep, wherever it is sent', async () => {
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

test('body: one mebibyte is read, one byte more is 413', async () => {
  const body = (bytes: number) => `{"name":"${'x'.repeat(bytes - 11)}"}`;
  expectFieldError(await send('PATCH', '/v1/me', body(1_048_576)), 'name', 'the whole mebibyte');
  expectProblem(await send('PATCH', '/v1/me', body(1_048_577)), 413, 'payload_too_large');
  expectStatus(await send('PATCH', '/v1/me', `${' '.repeat(1_048_576 - 15)}{"city":"Oslo"}`), 200);
});

test('body: a mebibyte made to be slow to check is refused as fast as any other', async () => {
  const size = 1_000_000;
  const slow = [
    { name: `${'a'.repeat(size)}\n` },
    { name: `${' '.repeat(size)}\n` },
    { city: `${'\u200b'.repeat(size / 4)}\u0000` },
    { bio: 'a\u0301'.repeat(size / 4) },
    { username: `${'a'.repeat(size)}!` },
  ];
  const started = performance.now();
  for (const body of slow) expectProblem(await api.patch('/v1/me', me.token, body), 400, 'invalid_request');
  const lists = {
    enabledModules: Array.from({ length: 60_000 }, (_, i) => `module${i}`),
    timezone: '+'.repeat(200_000),
  };
  expectProblem(await api.patch(`/v1/events/${event.id}`, me.token, lists), 400, 'invalid_request');
  // Quadratic work on this takes minutes.
  assert.ok(performance.now() - started < 10_000);
});

test('body: 415 for any type but JSON; parameters and capitals in the type do not matter', async () => {
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

test('body: a route without one takes none or an empty object, whatever type it is said to have', async () => {
  const other = await createUser(api);
  const follow = `/v1/users/${other.id}/follow`;
  expectStatus(await send('POST', follow, '{}'), 200);
  for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
    expectStatus(await send('POST', follow, '', type), 200);
    expectStatus(
      await api.call('DELETE', follow, { token: me.token, headers: { 'content-type': type } }),
      200,
    );
  }
  expectFieldError(await send('POST', follow, '{"userId":1}'), 'userId', 'an unknown field');
  for (const raw of ['[]', '[1]', '"x"', '1', 'true'])
    expectFieldError(await send('POST', follow, raw), 'body', raw);
  expectProblem(await send('DELETE', follow, '{'), 400, 'malformed_json');
});

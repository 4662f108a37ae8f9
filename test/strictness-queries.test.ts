/** What query strings may hold, and a shower of random bodies over every route that takes one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createAdmin, createEvent, createItem, createUpload, createUser } from './factories.ts';
import {
  errorPaths,
  expectFieldError,
  listFields,
  listOperations,
  type Parameter,
  type Schema,
  withChangedField,
} from './openapi-operations.ts';
import { expectProblem, expectStatus, startTestApp } from './setup.ts';

const api = await startTestApp();
const me = await createUser(api);
const event = await createEvent(api, me);
const item = await createItem(api, me, event.id);
const admin = await createAdmin(api);
const image = await createUpload(api, me);
const { body: calendar } = await api.post('/v1/me/calendar', me.token);
const { operations, withQuery, withBody } = await listOperations(api, {
  event: event.id,
  item: item.id,
  user: me.id,
});

/** What else a route requires, so that the parameter in question is the only one at fault. */
const required = (parameters: Parameter[], but: string): string =>
  parameters
    .filter((parameter) => parameter.required && parameter.name !== but)
    .map(({ name, schema }) => `${name}=${schema.enum?.[0] ?? 'bread'}&`)
    .join('');

test('query: 400 naming the parameter for every number that is none, is empty, comes twice or is out of range', async () => {
  let tried = 0;
  for (const { path, parameters } of withQuery) {
    for (const { name, schema } of parameters) {
      if (schema.type !== 'integer' && schema.type !== 'number') continue;
      const { minimum = 0, maximum = 0 } = schema;
      const before = required(parameters, name);
      // What a valid place needs beside this parameter, where the route takes a place.
      const others = ['lat', 'lng']
        .filter((other) => other !== name && parameters.some((parameter) => parameter.name === other))
        .map((other) => `&${other}=0`)
        .join('');
      const bad = [
        '',
        'abc',
        'NaN',
        'Infinity',
        '1e400',
        '-1e400',
        'true',
        'null',
        '[1]',
        '1,5',
        '0x10',
        '5.',
        '.5',
        '05',
        '%205',
        '5%20',
        '%2B5',
        `${minimum - 1}`,
        `${maximum + 1}`,
        '%FF',
      ];
      if (schema.type === 'integer') bad.push('1.5', '0', '-1');
      for (const value of bad) {
        const answer = await api.get(`${path}?${before}${name}=${value}${others}`, me.token);
        expectFieldError(answer, name, `${path} ${name}=${value}`);
        tried++;
      }
      expectFieldError(
        await api.get(`${path}?${before}${name}=1&${name}=2${others}`, me.token),
        name,
        'twice',
      );
    }
  }
  assert.ok(tried > 60, `${tried}`);
});

test('query: 400 naming the parameter for NUL, bytes that are no UTF-8, and texts that come twice', async () => {
  for (const { path, parameters } of withQuery) {
    for (const { name, schema } of parameters) {
      if (schema.type !== 'string') continue;
      const others = required(parameters, name);
      for (const value of ['ab%00', '%ED%A0%80ab', 'ab%FF', '%C0%80', '100%', '%zz']) {
        const answer = expectProblem(
          await api.get(`${path}?${others}${name}=${value}`, me.token),
          400,
          'invalid_request',
        );
        assert.deepEqual(errorPaths(answer), [name], `${path} ${name}=${value}`);
      }
      expectFieldError(
        await api.get(`${path}?${others}${name}=food&${name}=food`, me.token),
        name,
        `${path} ${name} twice`,
      );
    }
  }
});

test('query: 400 naming parameters that need each other or contradict each other', async () => {
  for (const [query, path] of [
    ['lat=1', 'lng'],
    ['lng=1', 'lat'],
    ['radius=5', 'radius'],
    ['lat=91&lng=0', 'lat'],
    ['lat=0&lng=-180.1', 'lng'],
    ['lat=0&lng=0&radius=-1', 'radius'],
    ['dateFrom=2026-02-30', 'dateFrom'],
    ['dateTo=tomorrow', 'dateTo'],
    ['dateFrom=2026-02-03&dateTo=2026-02-01', 'dateTo'],
    ['limit=0', 'limit'],
    ['limit=51', 'limit'],
    ['page=0', 'page'],
  ] as const) {
    expectFieldError(await api.get(`/v1/events?${query}`), path, query);
  }
  const several = expectProblem(
    await api.get('/v1/events?page=x&limit=99&lat=100&lng=0'),
    400,
    'invalid_request',
  );
  assert.deepEqual(errorPaths(several).sort(), ['lat', 'limit', 'page']);
  expectFieldError(await api.get('/v1/events/search'), 'q', 'missing');
  expectFieldError(await api.get('/v1/events/search?q=%20%20'), 'q', 'blank');
  expectFieldError(await api.get(`/v1/events/${event.id}/items?kind=gift`), 'kind', 'unknown word');
});

/** Images and calendars: their addresses are shared as links. */
const isLinked = (path: string): boolean => /\.(svg|webp|ics)$/.test(path);

// spec: 7 GET /v1/events: unknown query parameters
test('query: 400 naming every unknown parameter, on every JSON route of the API', async () => {
  let tried = 0;
  for (const { method, path, operation } of operations) {
    if (!path.startsWith('/v1/') || isLinked(path)) continue;
    const own = required(operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [], '');
    const example = operation.requestBody?.content['application/json']?.example;
    for (const [query, names] of [
      ['startDate=2026-12-24', ['startDate']],
      ['Limit=1&utm_source=x&limits', ['Limit', 'utm_source', 'limits']],
      ['__proto__=1&constructor=2', ['__proto__', 'constructor']],
      ['=1', ['query']],
    ] as const) {
      const answer = await api.call(method, `${path}?${own}${query}`, {
        token: admin.token,
        ...(example && { body: example }),
      });
      expectProblem(answer, 400, 'invalid_request');
      assert.deepEqual(errorPaths(answer), names, `${method} ${path}?${query}`);
      assert.match(answer.body.detail, /is not a known parameter/, `${method} ${path}`);
    }
    tried++;
  }
  assert.ok(tried > 60, `${tried}`);
});

test('query: an empty query string has no parameters', async () => {
  for (const query of ['?', '?&', '?&&']) expectStatus(await api.get(`/v1/events${query}`), 200);
});

test('query: an unknown parameter comes after a missing token, and together with other faults', async () => {
  expectProblem(await api.get('/v1/me/events?startDate=x'), 401, 'token_missing');
  const answer = expectProblem(await api.get('/v1/events?limit=0&startDate=x'), 400, 'invalid_request');
  assert.deepEqual(errorPaths(answer).sort(), ['limit', 'startDate']);
  expectProblem(await api.get(`/v1/events/${item.id}x/items?x=1`), 400, 'invalid_request');
});

// spec: 7 GET /v1/events: unknown query parameters
test('query: images, calendars and pages ignore unknown parameters, as links gather them', async () => {
  for (const path of [
    '/',
    '/docs/',
    '/docs/errors',
    '/docs/js/scalar.js',
    '/openapi.json',
    '/healthz',
    '/metrics',
    '/v1/events.ics',
    `/v1/events/${event.id}/calendar.ics`,
    `/v1/events/${event.id}/cover.svg`,
    `/v1/users/${me.id}/avatar.svg`,
    new URL(image.url).pathname,
    new URL(calendar.url).pathname,
  ]) {
    const response = await fetch(`${api.url}${path}?utm_source=newsletter&fbclid=1`);
    assert.equal(response.status, 200, path);
  }
});

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom('', ' ', '\u202e', '%', "' or 1=1 --", '\\', '$1', '+12025550199', 'https://example.org'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const numbers = fc.oneof(
  fc.nat(100),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(-0, 1e300, 0.1, 2 ** 31),
);
const anything = fc.oneof(texts, numbers, fc.boolean(), fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }));

/** Of the right type three times in four. */
function valueFor({ type, enum: words, anyOf, items }: Schema): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...anyOf.map(valueFor));
  const right: Record<string, fc.Arbitrary<unknown>> = {
    string: words ? fc.constantFrom(...words) : texts,
    boolean: fc.boolean(),
    null: fc.constant(null),
    array: fc.array(items ? valueFor(items) : anything, { maxLength: 3 }),
  };
  return fc.oneof({ weight: 3, arbitrary: right[type ?? ''] ?? numbers }, { weight: 1, arbitrary: anything });
}

/** The example of a body with one or two fields changed, so that what lies behind the schema is reached too. */
const requests = fc
  .constantFrom(...withBody.filter(({ path }) => !path.startsWith('/v1/auth')))
  .chain(({ method, path, schema, example }) =>
    fc
      .array(fc.constantFrom(...listFields(schema)), { minLength: 1, maxLength: 2 })
      .chain((chosen) =>
        fc.tuple(...chosen.map((field) => valueFor(field.schema).map((value) => ({ field, value })))),
      )
      .map((changes) =>
        changes.reduce((body, { field, value }) => withChangedField(body, field.path, value), example),
      )
      .map((body) => ({ method, path, body })),
  );

test('any body of any shape: an answer that the OpenAPI document declares, and never a 5xx', async () => {
  const seen = new Set<number>();
  const send = async ({ method, path, body }: { method: string; path: string; body: unknown }) => {
    const { status } = await api.call(method, path, { token: me.token, body });
    seen.add(status);
    assert.ok(status < 500, `${method} ${path}`);
  };
  await fc.assert(fc.asyncProperty(requests, send), { numRuns: 400 });
  const shapeless = fc.record({
    method: fc.constantFrom('POST', 'PATCH'),
    path: fc.constantFrom('/v1/events', '/v1/me'),
    body: anything,
  });
  await fc.assert(fc.asyncProperty(shapeless, send), { numRuns: 50 });
  for (const status of [200, 201, 400]) assert.ok(seen.has(status), `${status} never came`);
});

/** Validation of query strings, and random bodies on every route that takes a body. */
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import {
  callAsPage,
  errorPaths,
  expectFieldError,
  listFields,
  listOperations,
  type Parameter,
  type Schema,
  withChangedField,
} from '../operations/openapi-operations.ts';
import { often, sampleOf } from '../support/all-cases.ts';
import { anyCharacter, anyText, anyVisibleText } from '../support/any-text.ts';
import {
  createAdmin,
  createEvent,
  createItem,
  createUpload,
  createUser,
  eventBody,
} from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const call = callAsPage(api);
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

/** Returns the other required parameters of a route, so that the tested parameter is the only invalid one. */
const required = (parameters: Parameter[], except: string): string =>
  parameters
    .filter((parameter) => parameter.required && parameter.name !== except)
    .map(({ name, schema, example }) => `${name}=${schema.enum?.[0] ?? example ?? 'bread'}&`)
    .join('');

test('query: 400 naming the parameter for a number that is invalid, empty, repeated or out of range', async () => {
  let tried = 0;
  for (const { path, parameters } of withQuery) {
    for (const { name, schema } of parameters) {
      if (schema.type !== 'integer' && schema.type !== 'number') continue;
      const { minimum = 0, maximum = 0 } = schema;
      const requiredQuery = required(parameters, name);
      // `lat` and `lng` require each other.
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
      if (schema.type === 'integer') bad.push('1.5');
      if (schema.type === 'integer' && minimum > 0) bad.push('0', '-1');
      for (const value of sampleOf(bad, 5)) {
        const response = await api.get(`${path}?${requiredQuery}${name}=${value}${others}`, me.token);
        expectFieldError(response, name, `${path} ${name}=${value}`);
      }
      tried++;
      expectFieldError(
        await api.get(`${path}?${requiredQuery}${name}=1&${name}=2${others}`, me.token),
        name,
        'twice',
      );
    }
  }
  assert.ok(tried > 10, `${tried}`);
});

test('query: 400 naming the parameter for a text with NUL or invalid UTF-8, and for a repeated text', async () => {
  for (const { method, path, parameters } of withQuery) {
    for (const { name, schema } of parameters) {
      if (schema.type !== 'string') continue;
      const others = required(parameters, name);
      const sent = { token: me.token, ...(method === 'PATCH' && { body: {} }) };
      for (const value of sampleOf(['ab%00', '%ED%A0%80ab', 'ab%FF', '%C0%80', '100%', '%zz'], 3)) {
        const response = expectProblem(
          await api.call(method, `${path}?${others}${name}=${value}`, sent),
          400,
          'invalid_request',
        );
        assert.deepEqual(errorPaths(response), [name], `${path} ${name}=${value}`);
      }
      expectFieldError(
        await api.call(method, `${path}?${others}${name}=food&${name}=food`, sent),
        name,
        `${path} ${name} twice`,
      );
    }
  }
});

test('query: 400 naming parameters that are incomplete, contradictory or out of range', async () => {
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

/** Matches images and calendars, which are shared as links and ignore unknown parameters. */
const isLinked = (path: string): boolean => /\.(svg|webp|ics)$/.test(path);

// spec: 7 GET /v1/events: unknown query parameters
test('query: 400 naming every unknown parameter, on every JSON route of the API', async () => {
  let tried = 0;
  for (const { method, path, operation, example } of operations) {
    if (!path.startsWith('/v1/') || isLinked(path)) continue;
    const own = required(operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [], '');
    for (const [query, names] of sampleOf(
      [
        ['startDate=2026-12-24', ['startDate']],
        ['Limit=1&utm_source=x&limits', ['Limit', 'utm_source', 'limits']],
        ['__proto__=1&constructor=2', ['__proto__', 'constructor']],
        ['=1', ['query']],
      ] as const,
      2,
    )) {
      const response = await call(method, `${path}?${own}${query}`, {
        token: admin.token,
        ...(example && { body: example }),
      });
      expectProblem(response, 400, 'invalid_request');
      assert.deepEqual(errorPaths(response), names, `${method} ${path}?${query}`);
      assert.match(response.body.detail, /is not a known parameter/, `${method} ${path}`);
    }
    tried++;
  }
  assert.ok(tried > 60, `${tried}`);
});

test('query: an empty query string has no parameters', async () => {
  for (const query of ['?', '?&', '?&&']) expectStatus(await api.get(`/v1/events${query}`), 200);
});

test('query: 401 for a missing token before 400 for an unknown parameter; one 400 names all invalid parameters', async () => {
  expectProblem(await api.get('/v1/me/events?startDate=x'), 401, 'token_missing');
  const response = expectProblem(await api.get('/v1/events?limit=0&startDate=x'), 400, 'invalid_request');
  assert.deepEqual(errorPaths(response).sort(), ['limit', 'startDate']);
  expectProblem(await api.get(`/v1/events/${item.id}x/items?x=1`), 400, 'invalid_request');
});

// spec: 7 GET /v1/events: unknown query parameters
test('query: 200 with unknown parameters on images, calendars and pages', async () => {
  for (const path of [
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
  anyText({ maxLength: 100 }),
  anyVisibleText({ maxLength: 40 }),
  fc.constantFrom('', ' ', '\u202e', '%', "' or 1=1 --", '\\', '$1', '+12025550199', 'https://example.org'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);
const numbers = fc.oneof(
  fc.nat(100),
  fc.maxSafeInteger(),
  fc.double(),
  fc.constantFrom(-0, 1e300, 0.1, 2 ** 31),
);
const anything = fc.oneof(
  texts,
  numbers,
  fc.boolean(),
  fc.jsonValue({ maxDepth: 3, stringUnit: anyCharacter }),
);

/** Generates a value that has the type of the schema in three of four cases. */
function valueFor({ type, enum: words, anyOf, items }: Schema): fc.Arbitrary<unknown> {
  if (anyOf) return fc.oneof(...anyOf.map(valueFor));
  const byType: Record<string, fc.Arbitrary<unknown>> = {
    string: words ? fc.constantFrom(...words) : texts,
    boolean: fc.boolean(),
    null: fc.constant(null),
    array: fc.array(items ? valueFor(items) : anything, { maxLength: 3 }),
  };
  return fc.oneof(
    { weight: 3, arbitrary: byType[type ?? ''] ?? numbers },
    { weight: 1, arbitrary: anything },
  );
}

/** Generates the example of a body with one or two changed fields, so that some bodies pass the schema. */
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

test('random body: a response that the OpenAPI document declares, and never a 5xx', async () => {
  const statuses = new Set<number>();
  const send = async ({ method, path, body }: { method: string; path: string; body: unknown }) => {
    const { status } = await call(method, path, { token: me.token, body });
    statuses.add(status);
    assert.ok(status < 500, `${method} ${path}`);
  };
  // A valid body of each of two operations, and an invalid one.
  await send({ method: 'POST', path: '/v1/events', body: eventBody() });
  await send({ method: 'PATCH', path: '/v1/me', body: { city: 'Oslo' } });
  await send({ method: 'POST', path: '/v1/events', body: {} });
  await fc.assert(fc.asyncProperty(requests, send), { numRuns: often(400) });
  const shapeless = fc.record({
    method: fc.constantFrom('POST', 'PATCH'),
    path: fc.constantFrom('/v1/events', '/v1/me'),
    body: anything,
  });
  await fc.assert(fc.asyncProperty(shapeless, send), { numRuns: often(50) });
  for (const status of [200, 201, 400]) assert.ok(statuses.has(status), `no response has status ${status}`);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { changesDirectory, readChanges } from '../../release/changes.ts';
import { violationOf } from '../../src/http/validation-messages.ts';
import { catalogue } from '../../src/lib/problem-catalogue.ts';
import { type Parameter, resolveSchema } from '../operations/openapi-operations.ts';
import { slowTest } from '../support/all-cases.ts';
import { resolveResponse } from '../support/contract.ts';
import { createUser, eventBody } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp();
const { body: document } = await api.get('/openapi.json');

type Operation = {
  operationId: string;
  security: unknown[];
  summary?: string;
  description?: string;
  responses: Record<
    string,
    {
      $ref?: string;
      content?: Record<
        string,
        {
          schema: {
            $ref?: string;
            type?: string;
            allOf?: { properties?: { code?: { anyOf: [{ enum: string[] }, object] } } }[];
          };
          examples?: Record<string, { $ref: string }>;
        }
      >;
      headers?: Record<string, object>;
    }
  >;
  requestBody?: {
    content: Record<string, { schema: { $ref?: string; additionalProperties?: boolean }; example?: unknown }>;
  };
};
/** With the problems, which are shared components of the document. */
const resolveResponses = (responses: Operation['responses']): Operation['responses'] =>
  Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, resolveResponse(document, response)]),
  );

const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${url}`,
    operation: { ...operation, responses: resolveResponses(operation.responses) },
  })),
);

/** Collects the values of a keyword at any depth of a schema. */
function collectValues(keyword: string, node: unknown = document): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, inner]) =>
    key === keyword && typeof inner === 'string' ? [inner] : collectValues(keyword, inner),
  );
}

/** Rules of Redocly beyond its strict ones. The last two have no name there. */
const rules = {
  'array-parameter-serialization': 'error',
  'component-name-unique': 'error',
  'info-contact': 'error',
  'operation-4xx-problem-details-rfc7807': 'error',
  'operation-description': 'error',
  'operation-singular-tag': 'error',
  'operation-tag-defined': 'error',
  'rule/info-description': {
    subject: { type: 'Info', property: 'description' },
    assertions: { nonEmpty: true },
  },
  'rule/operation-tags': {
    subject: { type: 'Operation', property: 'tags' },
    assertions: { nonEmpty: true },
  },
} as const;

test('openapi: the document passes the strict rules of Redocly, and further ones, without a finding', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: 'openapi.json',
    config,
  });
  assert.deepEqual(
    problems.map(
      (problem) => `${problem.ruleId}: ${problem.message} ${problem.location.map((at) => at.pointer)}`,
    ),
    [],
  );
});

test('openapi: default values and examples are valid; arrays declare their items; no text has a script', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ ...document, $id: 'openapi' });
  let values = 0;
  const validate = (pointer: string, value: unknown): void => {
    values++;
    assert.ok(ajv.validate(`openapi#${pointer}`, value), `${pointer}: ${ajv.errorsText()}`);
  };
  const visit = (node: Record<string, unknown>, pointer: string): void => {
    // A property may have the name of a keyword.
    if (!pointer.endsWith('/properties')) {
      if ('default' in node) validate(pointer, node.default);
      if ('schema' in node && 'example' in node) validate(`${pointer}/schema`, node.example);
      if ([node.type].flat().includes('array')) assert.ok(node.items, pointer);
    }
    for (const [name, inner] of Object.entries(node)) {
      const key = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
      if (typeof inner === 'object' && inner !== null)
        visit(inner as Record<string, unknown>, `${pointer}/${key}`);
    }
  };
  visit(document, '');
  assert.ok(values > 100, `${values}`);
  assert.doesNotMatch(JSON.stringify(document), /<script|eval\(/i);
});

test('openapi: patterns match the same texts with and without the u flag', () => {
  const patterns = new Set(collectValues('pattern'));
  assert.ok(patterns.size >= 6, [...patterns].join());
  const samples = [
    '',
    ' ',
    '\t',
    'a',
    'ä b',
    ' 🍞 ',
    '\u00a0',
    '\u200b',
    'a\nb',
    'p{Z}',
    'EUR',
    'x\u0085',
    '\ufeff',
  ];
  for (const pattern of patterns) {
    const [plain, unicode] = [new RegExp(pattern), new RegExp(pattern, 'u')];
    assert.doesNotMatch(pattern, /\\[pP]\{/);
    for (const sample of samples)
      assert.equal(plain.test(sample), unicode.test(sample), `${pattern} on ${JSON.stringify(sample)}`);
  }
});

test('openapi: the introduction has each change for client authors, without links to files', async () => {
  const { description } = document.info;
  const [, changes = ''] = description.split('**Changes of the API since 0.1.0**\n\n');
  const [list = ''] = changes.split('\n\n# ');
  const files = (await readChanges(changesDirectory)).flatMap((file) => file.changes);
  const own = files.filter(({ reader }) => reader === 'Client authors');
  const wordsOf = (text: string) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  const lines = list.split('\n');
  assert.deepEqual(
    own.map(({ text }) => `- ${wordsOf(text)}`).filter((line) => !lines.includes(line)),
    [],
  );
  // CHANGELOG.md has others, and those of a release.
  assert.ok(lines.length > own.length && lines.every((line: string) => line.startsWith('- ')));
  assert.doesNotMatch(list, /\]\(/);
});

test('openapi: every format is defined by OpenAPI or explained in the introduction', () => {
  const known = new Set(['date', 'date-time', 'uri', 'binary']);
  const own = [...new Set(collectValues('format'))].filter((format) => !known.has(format));
  assert.ok(own.includes('visible-line'));
  assert.deepEqual(
    own.filter((format) => !document.info.description.includes(`\`${format}\``)),
    [],
  );
});

slowTest('openapi: TypeScript types and zod schemas generated from the document compile', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-types-'));
  try {
    const use = [
      "import type * as api from './api/types.gen.ts';",
      'export const quantity = (claim: api.ClaimItemResponses[201]): number => claim.quantity;',
      "export const rsvp = (event: api.Event): 'going' | 'interested' | null | undefined => event.myRsvp;",
      // A `switch` over `event` narrows `data`, and `satisfies never` proves that all events are handled.
      'export const going = (message: api.LiveMessage): number | null => {',
      '  switch (message.event) {',
      "    case 'snapshot': return message.data.counts.goingCount;",
      "    case 'counts': return message.data.goingCount;",
      "    case 'item': return message.data.quantityNeeded;",
      "    case 'event': return message.data.capacity;",
      "    case 'itemRemoved': return message.data.id.length;",
      "    case 'gone': return message.data.code.length;",
      '    default: return message satisfies never;',
      '  }',
      '};',
      'export const data = (message: api.LiveMessage): api.ListenToEventResponses[200] & api.LiveData => message.data;',
      'export const claim = (mine: api.Export): api.ExportClaim | undefined => mine.claims[0];',
      'export const phone = (mine: api.Export): string | null | undefined => mine.profile[0]?.phone;',
    ];
    await createClient({
      input: structuredClone(document),
      output: { path: path.join(directory, 'api'), module: { extension: '.ts' } },
      logs: { level: 'silent', file: false },
      plugins: ['@hey-api/typescript', 'zod'],
    });
    // The literals of patterns are valid.
    stripTypeScriptTypes(await readFile(path.join(directory, 'api', 'zod.gen.ts'), 'utf8'));
    await writeFile(path.join(directory, 'use.ts'), use.join('\n'));
    const tsc = path.join(import.meta.dirname, '..', '..', 'node_modules', 'typescript7', 'bin', 'tsc');
    const flags = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--allowImportingTsExtensions',
      '--module',
      'nodenext',
    ];
    await promisify(execFile)(process.execPath, [
      tsc,
      ...flags,
      '--types',
      '',
      path.join(directory, 'use.ts'),
    ]).catch((error) => assert.fail(error.stdout));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('openapi: every operation has a unique operationId, a summary and a security declaration', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  assert.equal(new Set(ids).size, ids.length);
  for (const { name, operation } of operations) {
    assert.ok(operation.summary, name);
    assert.ok(Array.isArray(operation.security), name);
  }
});

test('openapi: problems are shared components, of which no two are the same', () => {
  const responses = Object.values<Record<string, Operation>>(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap((operation) => Object.entries(operation.responses));
  const problems = responses.filter(([status]) => Number(status) >= 400);
  assert.deepEqual(
    problems.filter(([, { $ref }]) => !$ref?.startsWith('#/components/responses/')),
    [],
  );
  const shared = Object.values<object>(document.components.responses).map((response) =>
    JSON.stringify(response),
  );
  assert.equal(new Set(shared).size, shared.length);
});

test('openapi: each success with a JSON body has an example that its schema and its formats accept', () => {
  const ajv = new Ajv2020({ strict: false, formats: { binary: true } });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
  for (const { name, operation } of operations)
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const media = status.startsWith('2') ? content?.['application/json'] : undefined;
      if (!media) continue;
      const [reference] = Object.values(media.examples ?? {});
      const { value } = document.components.examples[reference?.$ref.split('/').at(-1) ?? ''] ?? {};
      assert.ok(value, `${name} has no example`);
      const pointer = media.schema.$ref;
      assert.ok(ajv.validate(`openapi${pointer}`, value), `${name}: ${ajv.errorsText()}`);
    }
});

test('openapi: optional headers have no example, which readers would send with each request', () => {
  const parameters = Object.values<Record<string, { parameters?: Parameter[] }>>(document.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ parameters = [] }) => parameters);
  const headers = parameters.filter((parameter) => parameter.in === 'header');
  assert.ok(headers.length > 20, `${headers.length}`);
  assert.deepEqual(
    headers.filter((header) => header.example !== undefined || JSON.stringify(header).includes('"examples"')),
    [],
  );
});

test('openapi: each response declares X-Request-Id, RateLimit and RateLimit-Policy; an event is created with Location and ETag', async () => {
  for (const { name, operation } of operations)
    for (const [status, { headers = {} }] of Object.entries(operation.responses))
      for (const header of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'])
        assert.ok(headers[header], `${name} ${status}: ${header}`);
  const { token } = await createUser(api);
  const created = await api.post('/v1/events', token, eventBody());
  const path = `/v1/events/${created.body.id}`;
  assert.equal(created.headers.get('location'), path);
  const read = await api.get(path, token);
  assert.equal(created.headers.get('etag'), read.headers.get('etag'));
  for (const name of ['POST /v1/events', 'POST /v1/events/{id}/duplicate']) {
    const { headers = {} } =
      operations.find((operation) => operation.name === name)?.operation.responses[201] ?? {};
    assert.ok(headers.Location && headers.ETag, name);
  }
});

// spec: 7 GET /v1/events: one shape for every error
test('openapi: every error response is problem+json with codes that the catalogue lists under the same status', () => {
  for (const { name, operation } of operations) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      const schema = response.content?.['application/problem+json']?.schema;
      const codes = schema?.allOf?.flatMap((part) => part.properties?.code?.anyOf[0].enum ?? []) ?? [];
      assert.ok(codes.length > 0, `${name} ${status}`);
      for (const code of codes)
        assert.equal(catalogue[code as keyof typeof catalogue].status, Number(status), `${name} ${code}`);
    }
  }
});

test('openapi: ProblemCode is a type of its own that lists every code of the catalogue, and is open to others', () => {
  assert.deepEqual(document.components.schemas.ProblemCode.anyOf[1], { type: 'string' });
  assert.deepEqual(document.components.schemas.ProblemCode.anyOf[0].enum, Object.keys(catalogue));
  assert.match(document.components.schemas.Problem.properties.code.$ref, /ProblemCode$/);
});

test('openapi: uploads: the description names the limits on concurrent uploads; the 429 and the 503 declare their codes', () => {
  const upload = operations.find(({ name }) => name === 'POST /v1/uploads')?.operation;
  assert.match(
    upload?.description ?? '',
    /At most 6 uploads of a person and 24 from one address run at once on a server: [^.]*429[^.]*`too_many_requests`/,
  );
  assert.match(upload?.description ?? '', /memory for bodies is used up, [^.]*503[^.]*`unavailable`/);
  for (const [status, code] of [
    ['429', 'too_many_requests'],
    ['503', 'unavailable'],
  ] as const) {
    const schema = upload?.responses[status]?.content?.['application/problem+json']?.schema;
    assert.ok(
      schema?.allOf?.some(({ properties }) => properties?.code?.anyOf[0].enum.includes(code)),
      code,
    );
  }
});

test('openapi: request bodies allow no additional properties and have an example', () => {
  for (const { name, operation } of operations) {
    const body = operation.requestBody?.content['application/json'];
    if (!body) continue;
    assert.equal(resolveSchema(document, body.schema).additionalProperties, false, name);
    assert.ok(body.example, `${name} has no example`);
  }
});

test('openapi: JSON bodies of requests and of 2xx responses have names; a body is named after its operation', () => {
  const nameOf = ({ $ref = '' }: { $ref?: string }) => $ref.replace('#/components/schemas/', '');
  for (const { name, operation } of operations) {
    const body = operation.requestBody?.content['application/json'];
    if (body) assert.equal(nameOf(body.schema).toLowerCase(), `${operation.operationId}body`.toLowerCase());
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const schema = status.startsWith('2') ? content?.['application/json']?.schema : undefined;
      if (schema) assert.ok(document.components.schemas[nameOf(schema)], `${name} ${status} has no name`);
    }
  }
  for (const name of ['Success', 'ItemList', 'GuestPage', 'RsvpState', 'SetRsvpBody', 'ClaimItemBody'])
    assert.ok(document.components.schemas[name], name);
});

test('openapi: alternatives of constants are enumerations', () => {
  const alternatives = (node: unknown): object[] => {
    if (typeof node !== 'object' || node === null) return [];
    const { anyOf = [] } = node as { anyOf?: { const?: unknown }[] };
    const isUnion = Array.isArray(anyOf) && anyOf.some((part) => part.const !== undefined);
    return [...(isUnion ? [node] : []), ...Object.values(node).flatMap(alternatives)];
  };
  assert.deepEqual(alternatives(document), []);
});

/** Keywords of JSON Schema that contain schemas or describe values, and result in no error of their own. */
const silentKeywords = ['properties', 'items', 'description', 'examples', 'default', 'title', '$ref'];

test('validation: every keyword, format and pattern of request schemas has a message, in plain words', async () => {
  const { body: document } = await api.get('/openapi.json');
  const tried = new Set<string>();
  const visit = (schema: object): void => {
    const { $ref, properties = {}, items, anyOf = [], ...rest } = schema as Record<string, never>;
    if ($ref) visit(document.components.schemas[String($ref).split('/').at(-1) ?? '']);
    for (const inner of [
      ...Object.values<object>(properties),
      ...(anyOf as object[]),
      ...(items ? [items as object] : []),
    ])
      visit(inner);
    for (const [keyword, value] of Object.entries(rest)) {
      if (silentKeywords.includes(keyword) || keyword.startsWith('x-')) continue;
      const names = ['limit', 'type', 'format', 'pattern', 'allowedValue', 'allowedValues'];
      const params = Object.fromEntries(names.map((name) => [name, value]));
      const { message } = violationOf({ keyword, params });
      assert.doesNotMatch(message, /NOT|[<>=]|is not valid|undefined/, `${keyword} ${JSON.stringify(value)}`);
      tried.add(keyword);
    }
  };
  for (const operations of Object.values<object>(document.paths)) {
    for (const { parameters = [], requestBody } of Object.values(operations)) {
      // Headers are read by code of their own.
      for (const { schema, in: place } of parameters) if (place !== 'header') visit(schema);
      const { schema: body } = requestBody?.content['application/json'] ?? {};
      if (body) visit(body);
    }
  }
  assert.ok(tried.size >= 14, [...tried].join());
  const { body } = await api.get('/v1/users/search?q=a', (await createUser(api)).token);
  assert.equal(body.errors[0].message, 'must have at least 2 characters');
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { startTestApp } from '../support/setup.ts';
import { coverageFile, readAnnotations, readSource, renderCoverage } from './spec-coverage.ts';
import { behaviours, sections, specification } from './specification.ts';

const api = await startTestApp();
const annotations = await readAnnotations();
const { body: document } = await api.get('/openapi.json');
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([url, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...operation,
    route: `${method.toUpperCase()} ${url.replace(/\{(\w+)\}/g, ':$1')}`,
  })),
);
const routes = operations.map(({ route }) => route);

type Operation = {
  parameters?: { name: string; in: string }[];
  requestBody?: Content;
  responses: Record<string, Content>;
};
type Content = { content?: Record<string, { schema: Schema }> };
type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
};

test('coverage: docs/spec-coverage.md is current', async () => {
  const written = await readFile(coverageFile, 'utf8');
  assert.ok(written === renderCoverage(annotations), 'run `npm run docs` and commit docs/spec-coverage.md');
});

test('coverage: a test covers every line of every section of the specification', () => {
  const covered = new Set(
    annotations.flatMap(({ section, lines }) => lines.map((line) => `${section} ${line}`)),
  );
  const required = specification.flatMap(({ section, lines }) => lines.map((line) => `${section} ${line}`));
  assert.deepEqual(
    required.filter((line) => !covered.has(line)),
    [],
  );
  for (const { section, lines } of specification) assert.ok(lines.length > 0, section);
});

test('coverage: an annotation names every route of the API, and no other route', () => {
  const unknown = annotations.flatMap(({ file, test, routes: named }) =>
    named.filter((route) => !routes.includes(route)).map((route) => `${file}: ${test}: ${route}`),
  );
  assert.deepEqual(unknown, []);
  const covered = new Set(annotations.flatMap(({ routes: named }) => named));
  assert.deepEqual(
    routes.filter((route) => !covered.has(route)),
    [],
  );
});

test('coverage: no annotation names an unknown section', () => {
  const known = new Set(specification.map(({ section }) => section));
  const unknown = annotations
    .filter(({ section }) => !known.has(section) || !sections.has(section))
    .map(({ file, test, section }) => `${file}: ${test}: ${section}`);
  assert.deepEqual(unknown, []);
});

test('specification: it has the sections and the fields of test/documents/specification.ts', () => {
  const known = specification.map(({ section }) => section);
  assert.deepEqual(
    Object.keys(behaviours).filter((section) => !known.includes(section)),
    [],
  );
  const missing = specification.flatMap(({ section, lines }) => {
    const text = sections.get(section)?.text ?? '';
    const fields = wordsOfCode(lines.join());
    return [...fields.difference(wordsOfCode(text))].map((field) => `${section} ${field}`);
  });
  assert.deepEqual(missing, []);
});

// spec: 9 GET /v1/events: the prefix `/v1`
test('specification: it names every operation of the API, and no other', () => {
  const text = [...sections.values()].map(({ title, text }) => `\`${title}\`\n${text}`).join('\n');
  const named = text.matchAll(/`((?:GET|POST|PUT|PATCH|DELETE) \/[^\s`]*)/g);
  assert.deepEqual([...new Set([...named].map(([, name]) => name))].sort(), [...routes].sort());
});

test('specification: a section that names an operation, or a section that it refers to, has its parameters and fields', () => {
  // The export has a section for each table, which its own schema describes.
  const described = operations.filter(({ route }) => !route.endsWith('/export'));
  const missing = described.flatMap(({ route, parameters = [], requestBody, responses }) => {
    const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
    const bodies = [requestBody, ...successes.map(([, response]) => response)].flatMap((each) =>
      fieldsOf(each?.content?.['application/json']?.schema),
    );
    const words = wordsOfCode(textAbout(route));
    return [...new Set([...query, ...bodies])]
      .filter((field) => !words.has(field))
      .map((field) => `${route}: ${field}`);
  });
  assert.deepEqual(missing, []);
});

/** The names of all fields of a schema, those of objects in it included. */
function fieldsOf(schema: Schema = {}, seen = new Set<string>()): string[] {
  const { $ref, properties = {}, items, anyOf = [], oneOf = [], allOf = [] } = schema;
  if ($ref !== undefined) {
    if (seen.has($ref)) return [];
    return fieldsOf(document.components.schemas[$ref.split('/').at(-1) ?? ''], new Set([...seen, $ref]));
  }
  const parts = [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...oneOf, ...allOf];
  return [...Object.keys(properties), ...parts.flatMap((part) => fieldsOf(part, seen))];
}

/** The words between backticks. */
const wordsOfCode = (text: string): Set<string> =>
  new Set(text.match(/`[^`\n]+`/g)?.flatMap((code) => code.match(/\w+/g) ?? []));

/**
 * The text of the sections that name a route, of those that they refer to, of those to which these refer, and of the sections
 * about people in records and about cursors.
 */
function textAbout(route: string): string {
  const textOf = (section: string) => sections.get(section)?.text ?? '';
  const referredBy = (section: string) => textOf(section).match(/\b(\d+\.\d+|(?<=section )\d+)\b/g) ?? [];
  const naming = [...sections]
    .filter(([, { title, text }]) => title === route || text.includes(`\`${route}\``))
    .map(([section]) => section);
  const referred = naming.flatMap(referredBy);
  const found = new Set([...naming, ...referred, ...referred.flatMap(referredBy), '10.3', '10.4']);
  return [...found].map(textOf).join('\n');
}

test('coverage: readSource throws for a malformed annotation and for an annotation that is not above a test', () => {
  const annotated = (comment: string) => `${comment}\ntest('name', () => {});\n`;
  assert.deepEqual(readSource('a.test.ts', annotated('// spec: 4.2 GET /v1/users/:id: `id`; `name`')), [
    {
      section: '4.2',
      routes: ['GET /v1/users/:id'],
      lines: ['`id`', '`name`'],
      file: 'a.test.ts',
      test: 'name',
    },
  ]);
  for (const comment of ['// spec: 4.2', '// spec: 4.2 GET /v1/users/:id', '// spec: GET /v1/users/:id: id'])
    assert.throws(() => readSource('a.test.ts', annotated(comment)), /a\.test\.ts: .* is not/);
  assert.throws(() => readSource('a.test.ts', '// spec: 4.2 GET /v1: id\nconst x = 1;\n'), /above a test/);
});

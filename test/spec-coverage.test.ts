import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { startTestApp } from './setup.ts';
import { coverageFile, readAnnotations, readSource, renderCoverage } from './spec-coverage.ts';
import { specification } from './specification.ts';

const api = await startTestApp();
const annotations = await readAnnotations();

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

test('coverage: an annotation names every route of the API, and no other route', async () => {
  const { body: document } = await api.get('/openapi.json');
  const routes = Object.entries<object>(document.paths).flatMap(([url, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${url.replace(/\{(\w+)\}/g, ':$1')}`),
  );
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
  const sections = new Set(specification.map(({ section }) => section));
  const unknown = annotations
    .filter(({ section }) => !sections.has(section))
    .map(({ file, test, section }) => `${file}: ${test}: ${section}`);
  assert.deepEqual(unknown, []);
});

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

import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { testApp } from './setup.ts';

/** docs/spec-coverage.md: `| spec | what | route | test |`, the last as `file.test.ts: name of the test`. */
type Row = { spec: string; what: string; route: string; tests: string };

const root = path.join(import.meta.dirname, '..');
const api = await testApp();
const rows = readRows(await readFile(path.join(root, 'docs', 'spec-coverage.md'), 'utf8'));
const names = await readTestNames();

function readRows(markdown: string): Row[] {
  return markdown
    .split('\n')
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map(([, spec = '', what = '', route = '', tests = '']) => ({ spec, what, route, tests }));
}

/** The names of all tests by file, as they stand in the sources. */
async function readTestNames(): Promise<Map<string, Set<string>>> {
  const found = new Map<string, Set<string>>();
  for await (const file of glob('{src,test}/**/*.test.ts', { cwd: root })) {
    const source = await readFile(path.join(root, file), 'utf8');
    const calls = source.matchAll(/\btest\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs);
    found.set(
      path.basename(file),
      new Set([...calls].map(([, , name = '']) => name.replace(/\\(.)/g, '$1'))),
    );
  }
  return found;
}

test('coverage: every test that the table names exists', () => {
  const missing = rows.flatMap(({ spec, what, tests }) =>
    tests
      .split('<br>')
      .map((reference) => /^`([^`]+)`: (.+)$/.exec(reference.trim()))
      .filter((match) => !(match && names.get(match[1] ?? '')?.has(match[2] ?? '')))
      .map((match) => `${spec} ${what}: ${match ? `${match[1]}: ${match[2]}` : tests}`),
  );
  assert.deepEqual(missing, []);
});

test('coverage: every route that the table names exists, and every route of the API is in the table', async () => {
  const { body: document } = await api.get('/openapi.json');
  const routes = Object.entries<object>(document.paths).flatMap(([url, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${url.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  const named = new Set(
    rows.flatMap(({ route }) => [...route.matchAll(/`([A-Z]+ \/[^`]*)`/g)].map((match) => match[1] ?? '')),
  );
  assert.deepEqual(
    [...named].filter((route) => !routes.includes(route)),
    [],
  );
  assert.deepEqual(
    routes.filter((route) => !named.has(route)),
    [],
  );
});

test('coverage: no section of the specification is left out, and no row is empty', () => {
  const sections = ['2.1', '2.2', '2.3', '2.4', '2.5', '2.6', '2.7', '2.8', '3', '5', '6', '7', '8', '9'];
  for (let n = 1; n <= 18; n++) sections.push(`4.${n}`);
  assert.deepEqual(
    sections.filter((section) => !rows.some((row) => row.spec === section)),
    [],
  );
  for (const row of rows) assert.ok(row.what && row.route && row.tests, JSON.stringify(row));
});

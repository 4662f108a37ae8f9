/** Conditions of running several test files in one process (run-files.ts). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

const cwd = import.meta.dirname;
const read = (file: string) => readFileSync(path.join(cwd, file), 'utf8');

test('suites: each test file is in exactly one suite', () => {
  const patterns = globSync('suites/*.ts', { cwd }).flatMap((suite) => {
    const list = /runFiles\(([^)]*)\)/.exec(read(suite))?.[1] ?? '';
    return [...list.matchAll(/'([^']+)'/g)].map(([, pattern]) => pattern);
  });
  const inSuites = patterns.flatMap((pattern) => globSync(`${pattern}.test.ts`, { cwd }));
  const all = globSync(['*.test.ts', '../src/**/*.test.ts'], { cwd });
  assert.deepEqual(inSuites.sort(), all.sort(), 'name the file in test/suites');
});

test('suites: no shared module registers a hook when it is loaded: the hook would run for one file only', () => {
  const shared = globSync('*.ts', { cwd, exclude: ['*.test.ts'] });
  assert.ok(shared.includes('setup.ts'));
  const withHook = shared.filter((file) => /^(test\.)?(before|after)(Each)?\(/m.test(read(file)));
  assert.deepEqual(withHook, []);
});

/** Conditions of running several test files in one process (run-suite.ts). */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { listSampled } from '../support/run-suite.ts';

const cwd = path.join(import.meta.dirname, '..');

test('suites: each test file is in a folder of test/ that has a suite, or a process alone, or in test/slow/', () => {
  const files = globSync('**/*.test.ts', { cwd, exclude: ['slow/**'] });
  const suites = globSync('*/{suite,alone}.ts', { cwd }).map((suite) => path.dirname(suite));
  assert.deepEqual(
    files.filter((file) => !suites.includes(file.split(path.sep)[0] ?? '')),
    [],
  );
});

test('suites: no shared module registers a hook when it is loaded: the hook would run for one file only', () => {
  const shared = globSync('**/*.ts', { cwd, exclude: ['**/*.test.ts'] });
  assert.ok(shared.includes('support/setup.ts'));
  const withHook = shared.filter((file) =>
    /^(test\.)?(before|after)(Each)?\(/m.test(readFileSync(path.join(cwd, file), 'utf8')),
  );
  assert.deepEqual(withHook, []);
});

test('suites: a folder that has a process alone, and a sample of its cases in `npm test`, is in test/slow/ with all cases', () => {
  const folders = listSampled().map((file) => path.relative(cwd, path.dirname(file)));
  const alone = folders.filter((folder) => existsSync(path.join(cwd, folder, 'alone.ts')));
  assert.ok(alone.length > 0);
  assert.deepEqual(
    alone.filter((folder) => !existsSync(path.join(cwd, 'slow', `${folder}.test.ts`))),
    [],
  );
});

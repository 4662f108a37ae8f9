/** Conditions of running several test files in one process (run-suite.ts). */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';

const cwd = path.join(import.meta.dirname, '..');

test('suites: each test file is in a folder of test/ that has a suite, or in test/slow/', () => {
  const files = globSync('**/*.test.ts', { cwd, exclude: ['slow/**'] });
  const suites = globSync('*/suite.ts', { cwd }).map((suite) => path.dirname(suite));
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

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { architectureFile, generateArchitecture } from '../docs/generate.ts';

test('docs: architecture.md contains the lock order of src/db/locks.ts', async () => {
  const text = await readFile(architectureFile, 'utf8');
  assert.equal(text, generateArchitecture(text), 'docs/architecture.md is outdated: run `npm run docs`');
});

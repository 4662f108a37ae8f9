import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { architectureFile, generateArchitecture } from '../docs/generate.ts';
import manifest from '../package.json' with { type: 'json' };

test('docs: architecture.md contains the lock order of src/db/locks.ts', async () => {
  const text = await readFile(architectureFile, 'utf8');
  assert.equal(text, generateArchitecture(text), 'docs/architecture.md is outdated: run `npm run docs`');
});

test('docs: operating.md has the command of the script `start`', async () => {
  const text = await readFile(path.join(path.dirname(architectureFile), 'operating.md'), 'utf8');
  const command = manifest.scripts.start.replace('exec node ', 'exec node_modules/.bin/node ');
  assert.ok(text.includes(`\n${command}\n`), command);
});

import assert from 'node:assert/strict';
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { findMigrationFaults, migrationsDirectory, releases } from '../../release/releases.ts';

const root = path.join(import.meta.dirname, '..', '..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

/** The version of package.json while its commit, which the list names, does not exist yet. */
const unlisted = releases.some(({ version }) => version === manifest.version) ? [] : [manifest.version];

test('releases: the changelog has a section for what is unreleased, and one for each release with its date', async () => {
  const sections = (await read('CHANGELOG.md')).matchAll(/^## (\S+)(?: - (.+))?$/gm);
  const [first, ...others] = Array.from(sections, ([, version = '', date]) => ({ version, date }));
  assert.equal(first?.version, 'Unreleased');
  const versions = [...releases.map(({ version }) => version), ...unlisted].reverse();
  assert.deepEqual(
    others.map(({ version }) => version),
    versions,
  );
  for (const { version, date } of releases)
    assert.equal(others.find((section) => section.version === version)?.date, date);
});

test('releases: each has a commit and the number of its last migration; the guide names the present version', async () => {
  const files = new Set<string>();
  for (const { commit, schema, migrations } of releases) {
    assert.match(commit, /^[0-9a-f]{40}$/);
    for (const file of Object.keys(migrations)) files.add(file);
    assert.equal(schema, files.size);
  }
  const named = (await read('docs/operating.md')).matchAll(/potluck-([\d.]+)-linux/g);
  assert.deepEqual([...new Set(Array.from(named, ([, version]) => version))], [manifest.version]);
});

test('releases: a changed or missing migration of a release, and a number that is taken or skipped, are faults', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-migrations-'));
  const faults = () => findMigrationFaults(directory, releases);
  try {
    await cp(migrationsDirectory, directory, { recursive: true });
    assert.deepEqual(await faults(), []);
    const released = path.join(directory, '0001.do.schema.sql');
    const text = await readFile(released);
    for (const file of ['0001.do.second.sql', '9999.do.later.sql'])
      await writeFile(path.join(directory, file), 'select 1');
    assert.deepEqual(await faults(), [
      '0001.do.second.sql does not have the next number: rename it.',
      '9999.do.later.sql does not have the next number: rename it.',
    ]);

    const sentence =
      '0001.do.schema.sql was released with 0.1.0 and may not change: restore it, and add a new migration instead.';
    await appendFile(released, '-- changed\n');
    assert.ok((await faults()).includes(sentence));
    await rm(released);
    assert.ok((await faults()).includes(sentence));
    await writeFile(released, text);
    assert.ok(!(await faults()).includes(sentence));
  } finally {
    await rm(directory, { recursive: true });
  }
});

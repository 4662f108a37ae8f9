import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { changesDirectory, joinChanges, parseChanges, readChanges, readers } from '../../release/changes.ts';

const root = path.join(import.meta.dirname, '..', '..');
const release = { version: '0.2.0', date: '2027-01-31' };

test('changes: each file of changes/ names its readers, and joins the changelog', async () => {
  const changes = (await readChanges(changesDirectory)).flatMap((file) => file.changes);
  const changelog = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  const joined = joinChanges(changelog, changes, { ...release, version: '999.0.0' });
  for (const { text } of changes) assert.ok(joined.includes(`- ${text}\n`));
});

test('changes: what is unreleased is at most 6 kB, by the readers that it concerns', async () => {
  const changelog = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  const [, section = ''] = /^## Unreleased\n(.*?)^## /ms.exec(changelog) ?? [];
  assert.ok(Buffer.byteLength(section) <= 6000, `${Buffer.byteLength(section)} bytes`);
  const headings = Array.from(section.matchAll(/^### (.*)$/gm), ([, name]) => name);
  assert.deepEqual(
    headings,
    readers.filter((reader) => headings.includes(reader)),
  );
});

test('changes: a file has a paragraph for each reader; one without a reader is an error that names the file', () => {
  const text = 'Guests: a map\nwith names.\n\nClient authors: `order=distance`.\n';
  assert.deepEqual(parseChanges('map.md', text), [
    { reader: 'Guests', text: 'a map with names.' },
    { reader: 'Client authors', text: '`order=distance`.' },
  ]);
  assert.throws(() => parseChanges('map.md', 'A map.'), /^Error: map\.md: /);
  assert.throws(() => parseChanges('map.md', ''), /^Error: map\.md: /);
});

test('changes: a directory is read in the order of names, without its README', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-changes-'));
  try {
    await writeFile(path.join(directory, 'README.md'), '# Changes');
    for (const name of ['b', 'a']) await writeFile(path.join(directory, `${name}.md`), `Admins: ${name}\n`);
    const texts = (await readChanges(directory)).flatMap(({ changes }) => changes.map(({ text }) => text));
    assert.deepEqual(texts, ['a', 'b']);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('changes: a release has the unreleased text and the changes by reader, below an empty section', () => {
  const changelog = [
    '# Changes',
    '## Unreleased',
    '### Operators',
    '- A variable.',
    '## 0.1.0 - 2026-11-26',
    'First version.\n',
  ].join('\n\n');
  const changes = parseChanges('a.md', 'Operators: another variable.\n\nGuests: a map.');
  const expected = [
    '# Changes',
    '## Unreleased',
    '## 0.2.0 - 2027-01-31',
    '### Guests',
    '- a map.',
    '### Operators',
    '- A variable.\n- another variable.',
    '## 0.1.0 - 2026-11-26',
    'First version.\n',
  ].join('\n\n');
  const joined = joinChanges(changelog, changes, release);
  assert.equal(joined, expected);
  assert.throws(() => joinChanges(joined, changes, release), /has 0\.2\.0 already/);
  assert.throws(() => joinChanges(joined, [], { ...release, version: '0.3.0' }), /has a change/);
});

test('changes: a first release, without changes in files, has the text of the section', () => {
  const joined = joinChanges('# Changes\n\n## Unreleased\n\nA sentence.\n', [], release);
  assert.equal(joined, '# Changes\n\n## Unreleased\n\n## 0.2.0 - 2027-01-31\n\nA sentence.\n');
});

/** Licences: whoever gets a release or a page gets the licences of what is in it. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { isUnused } from '../../release/remove-unused.ts';
import { createSbom, listInstalled } from '../../release/sbom.ts';
import { listPackages } from '../../web/licenses.ts';
import { expectStatus, startTestApp } from '../support/setup.ts';

const root = path.join(import.meta.dirname, '..', '..');

test('release: each package keeps its licence, whatever the name of the file', async () => {
  const packages = await listInstalled(root);
  assert.ok(packages.length > 50, `${packages.length}`);
  for (const { purl } of packages) {
    const name = /^pkg:npm\/(.+)@/.exec(purl)?.[1] ?? '';
    const files = await readdir(path.join(root, 'node_modules', name)).catch(() => []);
    const licences = files.filter((file) => /^(licen[cs]e|copying|notice|third)/i.test(file));
    assert.deepEqual(licences.filter(isUnused), [], name);
  }
  assert.ok(isUnused('README.md') && isUnused('index.d.ts') && isUnused('license.d.ts'));
  assert.ok(!isUnused('LICENSE.md') && !isUnused('THIRD-PARTY-NOTICES.md'));
});

test('release: the SBOM lists each package, and the libraries in that of PostgreSQL with their versions', {
  skip: process.platform !== 'linux',
}, async () => {
  const { text, missing } = await createSbom(root);
  assert.deepEqual(missing, []);
  type Component = { 'bom-ref': string; name: string; version?: string; components?: Component[] };
  const { components } = JSON.parse(text) as { components: Component[] };
  const parts = components.flatMap((component) => component.components ?? []);
  for (const name of ['OpenSSL', 'ICU', 'zlib'])
    assert.match(parts.find((part) => part.name === name)?.version ?? '', /^\d+\.\d+/, name);
  const refs = [...components, ...parts].map((component) => component['bom-ref']);
  assert.equal(new Set(refs).size, refs.length);
});

test('pages: 200 with the licence of each package, font and icon that they contain, which each page links', async () => {
  const pages = await startTestApp({ pages: true });
  const { body: text } = expectStatus(await pages.get('/licenses.txt'), 200);
  const bundled = await listPackages();
  for (const name of ['svelte', 'maplibre-gl', '@protomaps/basemaps', '@scalar/fastify-api-reference'])
    assert.ok(bundled.includes(name), name);
  const chapters = text.split(/^-{72}$/m);
  for (const name of [...bundled, 'Lucide', 'Bricolage Grotesque', 'Figtree']) {
    const chapter = chapters.find((one: string) => one.trim().startsWith(name));
    assert.match(chapter ?? '', /permission|redistribut/i, name);
  }
  assert.match((await pages.get('/')).body, /href="\/licenses\.txt"/);
});

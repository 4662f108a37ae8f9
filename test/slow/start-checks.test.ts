/** What a server checks at its start, and reports: the image storage, the clock, and the settings of its connections. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fakeTime } from '../support/fake-time.ts';
import { cleanUpAfterTests, createTempDir, potluck, type Server, serve, stop } from '../support/processes.ts';
import { openRelay } from '../support/relay.ts';
import { s3Env } from '../support/s3-stub.ts';
import { openSql } from '../support/sql-tag.ts';
import { cloneDatabase, urlOf } from '../support/test-database.ts';

cleanUpAfterTests();

type Line = { level: number; msg: string; outage?: string; code?: string; err?: { message: string } };

/** A server in production, which logs JSON, with a database of its own at `DATABASE_URL`. */
const production = async (more: Record<string, string> = {}) => ({
  NODE_ENV: 'production',
  DATABASE_URL: await cloneDatabase(),
  DATA_DIR: await createTempDir(),
  SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
  PUBLIC_URL: 'https://events.example.org',
  SMS_DRIVER: 'console',
  ...more,
});

/** The warnings and errors in the log. */
const warnings = ({ output }: Server): Line[] =>
  output.out
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ level }) => level >= 40);

async function readiness({ url }: Server): Promise<{ status: number; outages: string[] }> {
  const response = await fetch(`${url}/readyz`);
  const { outages = [] } = (await response.json()) as { outages?: string[] };
  return { status: response.status, outages };
}

async function waitFor(what: string, find: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 100_000; waited += 100) {
    if (await find()) return;
    await sleep(100);
  }
  assert.fail(what);
}

/** A port on which no server listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  assert.ok(address !== null && typeof address === 'object');
  return address.port;
}

const pgbouncer = '/usr/sbin/pgbouncer';
const hasPgBouncer = await access(pgbouncer).then(
  () => true,
  () => false,
);

/** Starts PgBouncer, which pools sessions, in front of the database. @returns the URL of the database behind it */
async function startPgBouncer(target: string): Promise<string> {
  const directory = await createTempDir();
  const relay = await openRelay(target);
  const [host, relayPort] = relay.address.split(':');
  const port = await freePort();
  const { username, password } = new URL(target);
  const settings = path.join(directory, 'pgbouncer.ini');
  await writeFile(
    settings,
    `[databases]
* = host=${host} port=${relayPort} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = session
default_pool_size = 30
ignore_startup_parameters = options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout
`,
  );
  // PgBouncer refuses to run as root.
  const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(pgbouncer, ['-q', settings], { cwd: '/', stdio: 'ignore', ...identity });
  after(async () => {
    child.kill('SIGKILL');
    await relay.close();
  });
  const url = urlOf(target, { address: `127.0.0.1:${port}` });
  await waitFor('PgBouncer does not accept connections', async () => {
    const sql = await openSql(url, 'tests').catch(() => null);
    await sql?.end();
    return sql !== null;
  });
  return url;
}

describe('start checks', { concurrency: 2 }, () => {
  test('image storage: one error at the start names the directory that cannot be written; readyz 200 names the outage until it ends', async () => {
    const env = await production();
    // A file blocks the path of the directory: root can write to every directory.
    const blocked = path.join(env.DATA_DIR, 'uploads');
    await writeFile(blocked, '');
    const server = await serve({ env });
    const isOut = async () => (await readiness(server)).outages.includes('image storage');
    await waitFor('readyz names no outage', isOut);
    assert.deepEqual(await readiness(server), { status: 200, outages: ['image storage'] });
    const [line, ...others] = warnings(server).filter(({ outage }) => outage);
    assert.deepEqual(others, []);
    assert.deepEqual([line?.level, line?.outage], [50, 'image storage']);
    const text = `images cannot be stored in the directory ${blocked}: `;
    assert.ok(line?.err?.message.startsWith(text), JSON.stringify(line));
    await rm(blocked);
    await mkdir(blocked);
    await waitFor('the outage does not end', async () => !(await isOut()));
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('image storage: one error at the start names the bucket that does not respond', async () => {
    const env = await production(s3Env(`http://127.0.0.1:${await freePort()}`));
    const server = await serve({ env });
    await waitFor('readyz names no outage', async () =>
      (await readiness(server)).outages.includes('image storage'),
    );
    const [line] = warnings(server).filter(({ outage }) => outage);
    assert.match(line?.err?.message ?? '', /^images cannot be stored in the bucket potluck: .*ECONNREFUSED/);
    assert.ok(!server.output.out.includes(env.SECRET_KEY));
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('variables: one warning at the start for a name that resembles a variable', async () => {
    const server = await serve({ env: await production({ RATELIMIT: '5', PGHOST: '127.0.0.1' }) });
    assert.equal(await stop(server, 'SIGTERM'), 0);
    assert.deepEqual(
      warnings(server)
        .map(({ msg }) => msg)
        .filter((msg) => msg.includes('variable')),
      ['RATELIMIT is not a variable of Potluck and has no effect; is RATE_LIMIT meant?'],
    );
  });

  test('settings: one warning at the start names the settings that PgBouncer drops; none once the role has them, nor without PgBouncer', {
    skip: !hasPgBouncer && 'PgBouncer is missing: apt-get install pgbouncer',
  }, async () => {
    const env = await production();
    const found = async (url: string) => {
      const server = await serve({ env: { ...env, DATABASE_URL: url } });
      assert.equal(await stop(server, 'SIGTERM'), 0);
      return warnings(server)
        .map(({ msg }) => msg)
        .filter((msg) => msg.includes('settings'));
    };
    const pooled = await startPgBouncer(env.DATABASE_URL);
    const [message = '', ...others] = await found(pooled);
    assert.deepEqual(others, []);
    const statements = message.slice(message.indexOf('alter role')).split('; ');
    assert.deepEqual(
      statements
        .map((statement) => statement.split(' set ')[1])
        // Some servers have the time zone and the setting of JIT already.
        .filter((each) => each?.includes('_timeout')),
      ["idle_in_transaction_session_timeout = '10s'", "lock_timeout = '4s'", "statement_timeout = '5s'"],
    );
    const sql = await openSql(env.DATABASE_URL, 'tests');
    const { username, pathname } = new URL(env.DATABASE_URL);
    // For this database alone: other tests use the role at the same time.
    for (const statement of statements)
      await sql.text(statement.replace('ROLE', `${username} in database ${pathname.slice(1)}`));
    await sql.end();
    assert.deepEqual(await found(await startPgBouncer(env.DATABASE_URL)), []);
    assert.deepEqual(await found(env.DATABASE_URL), []);
  });
});

describe('clock', {
  concurrency: 2,
  skip: !fakeTime && 'libfaketime is missing: apt-get install libfaketime',
}, () => {
  const shifted = (shift: string) => ({ ...fakeTime, FAKETIME: shift });

  test('clock: exit code 1 and one line on a machine whose clock differs from the database by a minute or more', async () => {
    const env = await production();
    for (const [shift, text] of [
      ['+3600s', '3600 s ahead of'],
      ['-3600s', '3600 s behind'],
      ['+65s', '65 s ahead of'],
    ] as const) {
      const { ended, output } = potluck(['serve'], { env: { ...env, PORT: '0', ...shifted(shift) } });
      assert.equal(await ended, 1, output.out);
      assert.equal(
        output.err,
        `The server does not start: the clock of this machine is ${text} the clock of the database; synchronize both (NTP).\n`,
      );
    }
  });

  test('clock: a warning at the start from 5 s on; none with the clock of the database', async () => {
    const env = await production();
    for (const [shift, count] of [
      ['+20s', 1],
      ['-20s', 1],
      ['+0s', 0],
    ] as const) {
      const server = await serve({ env: { ...env, ...shifted(shift) } });
      assert.equal(await stop(server, 'SIGTERM'), 0);
      const found = warnings(server).filter(({ msg }) => msg.includes('clock'));
      assert.equal(found.length, count, server.output.out);
    }
  });

  test('clock: readyz 200 names the outage of a running server whose clock jumps, until the clock is right', async () => {
    const env = await production();
    const file = path.join(env.DATA_DIR, 'time');
    const setClock = async (shift: string) => {
      await writeFile(`${file}.new`, shift);
      await rename(`${file}.new`, file);
    };
    await setClock('+0s');
    const server = await serve({
      env: { ...env, ...fakeTime, FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' },
    });
    assert.deepEqual(await readiness(server), { status: 200, outages: [] });
    await setClock('+600s');
    await waitFor('readyz names no outage', async () => (await readiness(server)).outages.includes('clock'));
    assert.equal((await readiness(server)).status, 200);
    // Without an admin, the log begins with the address that makes one.
    const [line] = warnings(server).filter(({ msg }) => !msg.startsWith('there is no admin yet'));
    assert.deepEqual([line?.level, line?.outage], [50, 'clock']);
    assert.match(
      line?.err?.message ?? '',
      /^the clock of this machine is \d+ s ahead of the clock of the database/,
    );
    await setClock('+0s');
    await waitFor('the outage does not end', async () => (await readiness(server)).outages.length === 0);
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });
});

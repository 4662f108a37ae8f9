/** The command `doctor`: the configuration and the database. Each fault is a real one. */
import assert from 'node:assert/strict';
import { mkdir, readdir, rm, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePorts } from '../support/free-ports.ts';
import { createNewerVersion } from '../support/newer-version.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  expectNoPostgres,
  postgresUnder,
  potluck,
  serve,
  stop,
} from '../support/processes.ts';
import { openSql } from '../support/sql-tag.ts';
import { cloneDatabase, createEmptyDatabase, skipsEmbedded } from '../support/test-database.ts';
import { doctor, secrets } from './doctor-runs.ts';

cleanUpAfterTests();

/** The names, sizes, times and modes of the files, without the directories of PostgreSQL, which is started and stopped. */
async function listFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  const files = names.filter((name) => !/^postgres(-socket)?$/.test(name)).sort();
  return Promise.all(
    files.map(async (name) => {
      const { size, mtimeMs, mode } = await stat(path.join(directory, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    }),
  );
}

const withServer = async () => ({ DATABASE_URL: await cloneDatabase(), DATA_DIR: await createTempDir() });

describe('doctor', { concurrency: 2 }, () => {
  test('healthy: exit code 0, nothing is broken, with a running server and without one; no file changes', {
    skip: skipsEmbedded,
  }, async () => {
    const [port] = await findFreePorts(1);
    const DATA_DIR = await createTempDir();
    const env = { DATA_DIR, PORT: `${port}` };
    const server = await serve({ env });
    const running = await doctor(env);
    assert.deepEqual(running.broken, []);
    assert.match(running.of('database')[0] ?? '', /^good PostgreSQL 18/);
    for (const check of ['configuration', 'migrations', 'database role', 'session', 'durability', 'clock'])
      assert.match(running.of(check)[0] ?? '', /^good /, check);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const files = await listFiles(DATA_DIR);
    const stopped = await doctor(env);
    assert.deepEqual(stopped.broken, []);
    assert.match(stopped.of('migrations')[0] ?? '', /^good /);
    assert.deepEqual(await listFiles(DATA_DIR), files);
    await expectNoPostgres(DATA_DIR);
    // A stop signal, too, leaves no database behind.
    const run = potluck(['doctor'], { env });
    while ((await postgresUnder(DATA_DIR)).length === 0) await sleep(10);
    assert.equal(await stop(run, 'SIGTERM'), 143, JSON.stringify(run.output));
    await expectNoPostgres(DATA_DIR);
  });

  test('output: a mark and a line for each finding, the next step below it, and a count at the end', async () => {
    const { ended, output } = potluck(['doctor'], {
      env: { DATA_DIR: path.join(await createTempDir(), 'none'), PORT: '9', CACHE_MB: '1048576' },
    });
    assert.equal(await ended, 1, output.err);
    assert.match(output.out, /^✓ configuration +A start accepts /);
    assert.match(output.out, /\n! database +DATA_DIR is [^\n]+\n {19}Next: Correct DATA_DIR/);
    assert.match(
      output.out,
      /\n✗ memory +CACHE_MB is 1048576, [^\n]+\n {19}Next: Set CACHE_MB to \d+ or less/,
    );
    assert.match(output.out, /\n\n1 broken, \d+ to look at, \d+ not examined\.\n$/);
  });

  test('configuration: the texts of the start come first; checks that do not need the variables run', async () => {
    const env = {
      NODE_ENV: 'production',
      SIGN_IN: 'email',
      PUBLIC_URL: 'https://events.example.org/path',
      SECRET_KEY: 'short',
      DATABASE_URL: `postgres://me:${secrets.database}@db.example.org/x?sslmode=yes`,
      DATA_DIR: await createTempDir(),
    };
    const { findings, of, broken } = await doctor(env);
    assert.deepEqual(broken, ['configuration']);
    assert.equal(findings[0]?.check, 'configuration');
    const { ended, output } = potluck(['serve'], { env });
    assert.equal(await ended, 1);
    assert.deepEqual(
      findings.filter(({ check }) => check === 'configuration').map(({ text }) => text),
      output.err.trimEnd().split('\n'),
    );
    assert.match(of('database')[0] ?? '', /^skipped The configuration is refused because of DATABASE_URL\./);
    assert.match(of('disk')[0] ?? '', /^(good|warning) /);
  });

  test('database: broken without a PostgreSQL at the address, and with a wrong password', async () => {
    const [port] = await findFreePorts(1);
    const gone = await doctor({
      DATABASE_URL: `postgres://me:${secrets.database}@127.0.0.1:${port}/x`,
      DATA_DIR: await createTempDir(),
    });
    assert.deepEqual(gone.broken, ['database']);
    assert.match(gone.of('database')[0] ?? '', /ECONNREFUSED.* \| Start PostgreSQL, or correct the host/);
    const env = await withServer();
    const url = new URL(env.DATABASE_URL);
    url.password = secrets.database;
    const refused = await doctor({ ...env, DATABASE_URL: url.href });
    assert.deepEqual(refused.broken, ['database']);
    assert.match(refused.of('database')[0] ?? '', /28P01.* \| Correct the user and the password/);
  });

  test('migrations: broken in a database of a newer version; a warning for pending ones, which stay pending; pages: broken if they are not built', async () => {
    const env = await withServer();
    const home = path.join(await createTempDir(), 'newer');
    await createNewerVersion(home);
    // All sources of the pages, whose build is missing.
    await rm(path.join(home, 'web'), { recursive: true });
    await mkdir(path.join(home, 'web'));
    for (const name of ['src', 'messages'])
      await symlink(path.join(import.meta.dirname, '..', '..', 'web', name), path.join(home, 'web', name));
    const program = path.join(home, 'bin', 'potluck.js');
    const pending = await doctor(env, { program });
    assert.deepEqual(pending.of('pages'), [
      'broken The pages are not built: people see none. | Run: npm run build',
    ]);
    assert.deepEqual(pending.broken, ['pages']);
    assert.match(
      pending.of('migrations')[0] ?? '',
      /^warning The database is at migration \d+ of \d+\. \| .*bin\/potluck migrate/,
    );
    assert.match((await doctor(env)).of('migrations')[0] ?? '', /^good /);
    const { ended } = potluck(['migrate'], { program, env });
    assert.equal(await ended, 0);
    const sql = await openSql(env.DATABASE_URL, 'tests');
    const [row] = await sql.text(`select md5 from schema_version where version = 1`);
    await sql.text(`update schema_version set md5 = 'changed' where version = 1`);
    const changed = await doctor(env);
    assert.deepEqual(changed.broken, ['migrations']);
    assert.match(
      changed.of('migrations')[0] ?? '',
      /differs from the file 0001\S+ of this version\. \| Use the version/,
    );
    await sql.text(`update schema_version set md5 = '${row?.md5}' where version = 1`);
    await sql.end();
    const newer = await doctor(env);
    assert.deepEqual(newer.broken, ['migrations']);
    assert.match(
      newer.of('migrations')[0] ?? '',
      /has migrations up to \d+ only\. \| Start the newer version/,
    );
  });

  test('database: a warning without tables; broken while it accepts no writes', async () => {
    const DATABASE_URL = await createEmptyDatabase();
    const env = { DATABASE_URL, DATA_DIR: await createTempDir() };
    assert.match((await doctor(env)).of('migrations')[0] ?? '', /^warning The database has no tables/);
    const sql = await openSql(DATABASE_URL, 'tests');
    await sql.text(
      `alter database ${new URL(DATABASE_URL).pathname.slice(1)} set default_transaction_read_only = on`,
    );
    await sql.end();
    const { broken, of } = await doctor(env);
    assert.deepEqual(broken, ['database']);
    assert.match(of('database')[0] ?? '', /accepts no writes/);
  });

  test('role: broken without the rights of a server; durability: a warning for each setting that loses data', {
    skip: skipsEmbedded,
  }, async () => {
    const env = await withServer();
    const name = `doctor_${Date.now()}`;
    const sql = await openSql(env.DATABASE_URL, 'tests');
    await sql.text(
      `create role ${name} login password '${decodeURIComponent(secrets.database)}' connection limit 5`,
    );
    after(async () => {
      await sql.text(`drop owned by ${name}; drop role ${name}`);
      await sql.end();
    });
    const url = new URL(env.DATABASE_URL);
    Object.assign(url, { username: name, password: secrets.database });
    const { broken, of } = await doctor({ ...env, DATABASE_URL: url.href });
    assert.ok(broken.includes('database role'));
    const found = of('database role').join('\n');
    assert.match(found, /may not create tables.* \| As a superuser, run: grant create/);
    assert.match(found, /may not read and write /);
    assert.match(of('connections')[0] ?? '', /^warning .* the database allows 5,/);
    const lost = ['fsync', 'full_page_writes', 'synchronous_commit'];
    assert.deepEqual(
      of('durability').map((text) => /^warning (\w+) is off: /.exec(text)?.[1]),
      lost,
    );
  });
});

/** Restores a PostgreSQL of its own to a moment, with the commands of pgBackRest in docs/operating.md. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startingUp, untilRecovered } from '#pg';
import { eventBody } from '../support/factories.ts';
import { findPostgres } from '../support/installed-postgres.ts';
import { cleanUpAfterTests, createTempDir, sendRequest, serve, signIn, stop } from '../support/processes.ts';
import { openSql } from '../support/sql-tag.ts';

const run = promisify(execFile);
cleanUpAfterTests();

/** PostgreSQL refuses to run as root. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const binaries = await findPostgres(15);
const hasPgBackRest = await run('pgbackrest', ['version']).then(
  () => true,
  () => false,
);

/** The chapter's commands of pgBackRest, in their order. */
async function readCommands(): Promise<string[]> {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const chapter = page.split('\n### Point in time\n')[1]?.split('\n## ')[0] ?? '';
  return chapter.split('\n').filter((line) => line.startsWith('pgbackrest '));
}

/** The chapter's lines of a file of settings, which begin with this line. */
async function readSettings(first: string): Promise<string> {
  const page = await readFile(path.join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const blocks = [...page.matchAll(/```ini\n(.*?)```/gs)].map(([, block = '']) => block);
  return blocks.find((block) => block.startsWith(first)) ?? '';
}

type Machine = {
  directory: string;
  data: string;
  env: NodeJS.ProcessEnv;
  shell(command: string): Promise<void>;
};

/** A cluster and pgBackRest with the settings of the chapter, in directories of the test. */
async function prepareMachine(): Promise<Machine> {
  const directory = await createTempDir();
  const [data, repository, config] = ['cluster', 'repository', 'pgbackrest.conf'].map((name) =>
    path.join(directory, name),
  ) as [string, string, string];
  await mkdir(repository);
  const settings = (await readSettings('[global]'))
    .replace('/var/lib/pgbackrest', repository)
    .replace('/var/lib/postgresql/15/main', data)
    .replace(
      '[global]\n',
      `[global]\nlog-path=${directory}\nlock-path=${directory}\nspool-path=${directory}\n`,
    );
  await writeFile(config, `${settings}pg1-socket-path=${directory}\npg1-user=admin\n`);
  for (const place of [directory, repository])
    if (identity.uid) await chown(place, identity.uid, identity.gid);
  const env = { ...process.env, PGBACKREST_CONFIG: config };
  const shell = async (command: string) => {
    await run('sh', ['-ec', command], { cwd: '/', env, ...identity });
  };
  await shell(
    `${binaries}/initdb -D ${data} --username=admin --auth=trust --encoding=UTF8 --locale=C.UTF-8 --no-sync`,
  );
  const archive = (await readSettings('archive_mode')).replace(
    'pgbackrest ',
    `pgbackrest --config=${config} `,
  );
  await appendFile(path.join(data, 'postgresql.conf'), archive);
  return { directory, data, env, shell };
}

/** Starts the cluster and waits until it accepts writes. */
async function startPostgres({ directory, data, env }: Machine) {
  const settings = ['-k', directory, '-c', 'listen_addresses=', '-c', 'fsync=off'];
  const postgres = spawn(`${binaries}/postgres`, ['-D', data, ...settings], {
    cwd: '/',
    env,
    stdio: 'ignore',
    ...identity,
  });
  const ended = once(postgres, 'exit');
  const close = async () => {
    postgres.kill('SIGINT');
    await ended;
  };
  after(close);
  const url = `postgres://admin:none@localhost:5432/potluck?host=${encodeURIComponent(directory)}`;
  // While it replays the archive, it is a standby.
  const codes = [...startingUp, 'ENOENT', 'ECONNREFUSED'];
  const sql = await untilRecovered(() => openSql(url.replace('/potluck?', '/postgres?')), { codes });
  return { url, sql, close };
}

const skip =
  (binaries === null && 'no PostgreSQL 15 or newer is installed: apt-get install postgresql') ||
  (!hasPgBackRest && 'pgBackRest is not installed: apt-get install pgbackrest');

test('point in time: pgBackRest restores the moment before a mistake, and a server runs on it', {
  skip,
}, async () => {
  const [create = '', check = '', full = '', diff = '', restore = '', ...others] = await readCommands();
  assert.deepEqual(others, []);
  const machine = await prepareMachine();
  const first = await startPostgres(machine);
  await first.sql`create database potluck encoding 'UTF8' template template0`;
  for (const command of [create, check, full]) await machine.shell(command);

  const env = { DATABASE_URL: first.url, SECRET_KEY: 'the-key-of-the-tests-is-long-enough' };
  const server = await serve({ env });
  const token = await signIn(server);
  const { body: event } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  await machine.shell(diff);
  const { body: second } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  const [{ moment }] = await first.sql<[{ moment: string }]>`select clock_timestamp()::text as moment`;
  const { body: later } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  assert.equal(await stop(server, 'SIGTERM'), 0);
  const sql = await openSql(first.url);
  await sql`truncate events cascade`;
  await sql.end();
  await first.sql`select pg_switch_wal()`;
  await first.sql.end();
  await first.close();

  assert.match(restore, /--target='[^']+'/);
  await machine.shell(restore.replace(/--target='[^']+'/, `--target='${moment}'`));
  const { sql: restored } = await startPostgres(machine);
  await restored.end();
  const again = await serve({ env });
  for (const { id } of [event, second])
    assert.equal((await sendRequest(again, 'GET', `/v1/events/${id}`)).status, 200);
  assert.equal((await sendRequest(again, 'GET', `/v1/events/${later.id}`)).status, 404);
  assert.equal((await sendRequest(again, 'GET', '/v1/auth/me', token)).status, 200);
  assert.equal(await stop(again, 'SIGTERM'), 0);
});

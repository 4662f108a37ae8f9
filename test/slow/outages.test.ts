/**
 * Outages in the log: when each begins, with its code, and when it ends. The tests are slow because they start a server
 * process and wait for the probes, which report an end after several seconds.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { after, describe, mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUser, eventBody, onePixelPng } from '../support/factories.ts';
import { cleanUpAfterTests, createTempDir, serve, stop } from '../support/processes.ts';
import { expectProblem, expectStatus, startTestApp, type TestApp } from '../support/setup.ts';
import { cloneDatabase, connectTo, urlOf } from '../support/test-database.ts';
import { upload } from '../support/upload-helpers.ts';

cleanUpAfterTests();

type Line = { outage?: string; code?: string; failures?: number; seconds?: number; msg: string };

/** Collects the warnings and errors that an app logs. */
function watchLog({ app }: TestApp): Line[] {
  const lines: Line[] = [];
  for (const level of ['error', 'warn'] as const) {
    mock.method(app.log, level, (fields: object, msg: string) => {
      lines.push({ ...fields, msg });
    });
  }
  return lines;
}

async function waitFor<T>(find: () => T | Promise<T | undefined> | undefined, message: string): Promise<T> {
  for (let waited = 0; waited < 20_000; waited += 50) {
    const value = await find();
    if (value !== undefined) return value;
    await sleep(50);
  }
  return assert.fail(message);
}

/** Forwards connections to PostgreSQL; the relay can be closed and opened again. */
async function relay(target: string) {
  const directory = await createTempDir();
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = connectTo(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          client.destroy();
          upstream.destroy();
        });
    }
    client.pipe(upstream).pipe(client);
  });
  const open = async () =>
    void (await once(server.listen(path.join(directory, '.s.PGSQL.5432')), 'listening'));
  const close = async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { directory, open, close };
}

describe('outages', { concurrency: true }, () => {
  test('database: the log has one line for the start and one line for the end of an outage of PostgreSQL', async () => {
    const target = await cloneDatabase();
    const postgres = await relay(target);
    const server = await serve({
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: urlOf(target, { address: postgres.directory }),
        SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
        PUBLIC_URL: 'https://events.example.org',
        SMS_DRIVER: 'console',
        RATE_LIMIT: '0',
      },
    });
    const logged = () =>
      server.output.out
        .split('\n')
        .filter((line: string) => line.includes('outage'))
        .map((line: string) => JSON.parse(line) as Line);
    const statusOf = async () => (await fetch(`${server.url}/v1/events`)).status;
    assert.equal(await statusOf(), 200);
    await postgres.close();
    for (let i = 0; i < 30; i++) assert.equal(await statusOf(), 503);
    const [began] = logged();
    assert.deepEqual([began?.outage, began?.msg], ['database', 'outage of database began']);
    assert.match(began?.code ?? '', /^(ENOENT|ECONNREFUSED|CONNECTION_LOST|ECONNRESET|EPIPE)$/);
    await postgres.open();
    await waitFor(() => logged()[1], 'no second line');
    assert.equal(logged()[1]?.msg, 'outage of database ended');
    assert.ok(Number(logged()[1]?.failures) >= 30 && Number(logged()[1]?.seconds) >= 4);
    assert.equal(await statusOf(), 200);
    assert.equal(logged().length, 2);
    assert.ok(!server.output.out.includes(new URL(target).password));
    await stop(server, 'SIGTERM');
    await postgres.close();
  });

  test('database writes: a full disk is logged with SQLSTATE 53100', async () => {
    const api = await startTestApp();
    const lines = watchLog(api);
    const person = await createUser(api);
    await api.sql.text(`
      create function full_disk() returns trigger language plpgsql as $$
        begin
          raise exception using errcode = '53100',
            message = 'could not extend file "base/1/2": No space left on device';
        end $$;
      create trigger full_disk before insert on events execute function full_disk()`);
    for (let i = 0; i < 5; i++)
      expectProblem(await api.post('/v1/events', person.token, eventBody()), 503, 'unavailable');
    assert.deepEqual(
      lines.map(({ outage, code, msg }) => ({ outage, code, msg })),
      [{ outage: 'database writes', code: '53100', msg: 'outage of database writes began' }],
    );
    await api.sql`drop trigger full_disk on events`;
    const ended = await waitFor(() => lines[1], 'no second line');
    assert.deepEqual([ended.msg, ended.failures], ['outage of database writes ended', 5]);
    expectStatus(await api.post('/v1/events', person.token, eventBody()), 201);
  });

  test('image storage: a full disk is logged once with ENOSPC', async () => {
    const api = await startTestApp();
    const lines = watchLog(api);
    const person = await createUser(api);
    const original = fs.open;
    fs.open = (async (...args: Parameters<typeof original>) => {
      const file = await original(...args);
      if (args[1] === 'w')
        file.writeFile = () =>
          Promise.reject(
            Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
          );
      return file;
    }) as typeof original;
    syncBuiltinESMExports();
    try {
      for (let i = 0; i < 3; i++)
        expectProblem(await upload(api, person, onePixelPng), 503, 'storage_unavailable');
      // This exceeds the delay before the end of an outage is logged: the probe must find the disk full.
      await sleep(6_500);
    } finally {
      fs.open = original;
      syncBuiltinESMExports();
    }
    assert.deepEqual(
      lines.map(({ outage, code, msg }) => ({ outage, code, msg })),
      [{ outage: 'image storage', code: 'ENOSPC', msg: 'outage of image storage began' }],
    );
    const ended = await waitFor(() => lines[1], 'no second line');
    assert.deepEqual([ended.msg, ended.failures], ['outage of image storage ended', 3]);
    expectStatus(await upload(api, person, onePixelPng), 201);
  });
});

// After the suite, whose tests run at the same time: it simulates the full disk for all servers of the process.
test('database writes: refused with a 503 while little space is left on the disk of the embedded database', async () => {
  const api = await startTestApp();
  const person = await createUser(api);
  const original = fs.statfs;
  let bavail = 11_000;
  fs.statfs = (async () => ({ bavail, bsize: 4_096 })) as unknown as typeof original;
  syncBuiltinESMExports();
  try {
    const create = () => api.post('/v1/events', person.token, eventBody());
    const lines = watchLog(api);
    await waitFor(async () => (await create()).status === 503 || undefined, 'no write was refused');
    const refused = await create();
    expectProblem(refused, 503, 'unavailable');
    assert.ok(refused.headers.get('retry-after'));
    expectStatus(await api.get('/v1/auth/me', person.token), 200);
    assert.deepEqual([lines[0]?.outage, lines[0]?.code], ['database writes', '53100']);
    bavail = 1_000_000;
    await waitFor(async () => (await create()).status === 201 || undefined, 'writes are still refused');
  } finally {
    fs.statfs = original;
    syncBuiltinESMExports();
  }
});

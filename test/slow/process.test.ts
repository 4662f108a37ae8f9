/** The server as a process: started, stopped, killed, and with a database that dies under it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../factories.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  expectNoPostgres,
  npmStart,
  postgresUnder,
  postmasterOf,
  potluck,
  type Server,
  sendRequest,
  serve,
  signIn,
  stop,
} from '../processes.ts';
import { cloneDatabase } from '../setup.ts';
import { openSql } from '../sql-tag.ts';

cleanUpAfterTests();

/** Creates events without a pause, from many callers at once, until the server is gone; gives those acknowledged. */
function writeWithoutPause(server: Server, token: string) {
  const ids: string[] = [];
  const writers = Array.from({ length: 20 }, async () => {
    try {
      for (;;) {
        const { status, body } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
        if (status === 201 && body.id) ids.push(body.id);
      }
    } catch {
      // The server is gone.
    }
  });
  return { ids, over: Promise.all(writers) };
}

/** Lets the writers go on for a moment after the first write that is acknowledged. */
async function someAcknowledged({ ids }: ReturnType<typeof writeWithoutPause>) {
  const deadline = performance.now() + 20_000;
  while (ids.length === 0) {
    assert.ok(performance.now() < deadline, 'no write is acknowledged');
    await sleep(20);
  }
  await sleep(300);
}

async function expectAll(server: Server, ids: string[]) {
  assert.ok(ids.length > 0);
  const answers = await Promise.all(ids.map((id) => sendRequest(server, 'GET', `/v1/events/${id}`)));
  assert.deepEqual(
    answers.filter(({ status }) => status !== 200),
    [],
  );
}

/** A request whose body is still on its way. */
async function beginRequest(server: Server) {
  const body = JSON.stringify({ phone: '+14155550123' });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  socket.write('POST /v1/auth/otp/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  socket.write(`content-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  await sleep(200);
  return { socket, rest: body.slice(5) };
}

/**
 * Crashes PostgreSQL so that it rejects connections with 57P03 for five seconds: a helper process that is stopped does
 * not follow the order to quit, and the first process waits that long for it before it kills it and recovers.
 */
async function holdInRecovery(dataDir: string): Promise<void> {
  const postmaster = await postmasterOf(dataDir);
  const [stopped, killed] = (await postgresUnder(dataDir)).filter((pid) => pid !== postmaster);
  assert.ok(stopped && killed);
  process.kill(stopped, 'SIGSTOP');
  process.kill(killed, 'SIGKILL');
}

/** Whether a process holds its share of the lock that keeps the embedded database running (src/db/embedded.ts). */
async function hasJoined(dataDir: string): Promise<boolean> {
  const password = await readFile(path.join(dataDir, 'database-password'), 'utf8');
  const socketDir = path.join(dataDir, 'postgres-socket');
  const sql = await openSql(
    { socketDir, port: 5432, user: 'potluck', password, database: 'potluck' },
    'tests',
  );
  try {
    const shares =
      await sql`select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted`;
    return shares.length > 0;
  } catch {
    return false;
  } finally {
    await sql.end();
  }
}

/** The message by which PostgreSQL rejects a connection with 57P03: a type, a length, and fields that end with NUL. */
const startingUpMessage = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

describe('process', { concurrency: 2 }, () => {
  test('stop: SIGTERM to the process of npm start alone ends the server and PostgreSQL within 10 s', async () => {
    const DATA_DIR = await createTempDir();
    const server = await npmStart({ DATA_DIR });
    await stop(server, 'SIGTERM');
    await assert.rejects(fetch(`${server.url}/healthz`), 'the server still answers');
    await expectNoPostgres(DATA_DIR);
  });

  test('stop: SIGTERM does not wait for a request that never ends', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    const { socket } = await beginRequest(server);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    socket.destroy();
    await expectNoPostgres(DATA_DIR);
  });

  test('kill -9: every acknowledged write is there after it, whether or not PostgreSQL died as well', async () => {
    const DATA_DIR = await createTempDir();
    const first = await serve({ env: { DATA_DIR } });
    const token = await signIn(first);
    const before = writeWithoutPause(first, token);
    await someAcknowledged(before);
    const postmaster = await postmasterOf(DATA_DIR);
    await stop(first, 'SIGKILL');
    await before.over;
    assert.ok((await postgresUnder(DATA_DIR)).includes(postmaster), 'PostgreSQL outlives its app');

    const second = await serve({ env: { DATA_DIR } });
    assert.equal(await postmasterOf(DATA_DIR), postmaster, 'it is adopted');
    await expectAll(second, before.ids);
    const later = writeWithoutPause(second, token);
    await someAcknowledged(later);
    second.child.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await later.over;

    const third = await serve({ env: { DATA_DIR } });
    await expectAll(third, [...before.ids, ...later.ids]);
    assert.equal(await stop(third, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('stop: SIGINT answers what is under way, lets idle connections go, and leaves no PostgreSQL', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
    idle.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(idle, 'data');
    const { socket, rest } = await beginRequest(server);
    server.child.kill('SIGINT');
    // npm passes on the Ctrl-C that the terminal has sent to both.
    server.child.kill('SIGINT');
    await sleep(300);
    socket.write(rest);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1.1 202 /);
    assert.equal(await server.ended, 0);
    await expectNoPostgres(DATA_DIR);
    assert.equal(server.output.err, '');
    idle.destroy();
    socket.destroy();
  });

  test('stop: a signal during the first start ends it cleanly, and the next start works', async () => {
    const interrupted = await Promise.all(
      [500, 1_200].map(async (ms) => {
        const DATA_DIR = await createTempDir();
        const run = potluck(['serve'], { env: { DATA_DIR, PORT: '0', DEMO: 'off' } });
        await sleep(ms);
        // On a slow machine the signal may come before there is anybody to hear it.
        const outcome = await stop(run, 'SIGTERM');
        assert.ok(outcome === 0 || (outcome === 'SIGTERM' && run.output.out === ''), `${outcome}`);
        assert.equal(run.output.err, '');
        await expectNoPostgres(DATA_DIR);
        return DATA_DIR;
      }),
    );
    const server = await serve({ env: { DATA_DIR: interrupted[1] ?? '' } });
    assert.equal(await stop(server, 'SIGTERM'), 0);
  });

  test('database: when it dies under the server it is back in a moment, and a command that leaves does not stop it', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    const token = await signIn(server);
    const isThere = async () => (await sendRequest(server, 'GET', '/v1/auth/me', token)).status === 200;
    /** Waits until no process of the crashed PostgreSQL is left, and the server has joined the one that follows it. */
    const backToLife = async (crashed: number[]) => {
      const isBack = async () => {
        const running = await postgresUnder(DATA_DIR);
        const isNew = running.length > 1 && !running.some((pid) => crashed.includes(pid));
        return isNew && (await isThere()) && (await hasJoined(DATA_DIR));
      };
      const deadline = performance.now() + 60_000;
      while (!(await isBack())) {
        assert.ok(performance.now() < deadline, 'it does not come back');
        await sleep(50);
      }
    };
    const postmaster = await postmasterOf(DATA_DIR);
    // One of its processes dies: PostgreSQL breaks all connections and starts over.
    const helpers = (await postgresUnder(DATA_DIR)).filter((pid) => pid !== postmaster);
    process.kill(helpers[0] ?? 0, 'SIGKILL');
    await backToLife(helpers);
    const grant = potluck(['admin', 'grant', '+14155550123'], { env: { DATA_DIR } });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.equal((await sendRequest(server, 'GET', '/v1/auth/me', token)).body.role, 'admin');
    assert.equal(await postmasterOf(DATA_DIR), postmaster);
    const all = await postgresUnder(DATA_DIR);
    process.kill(postmaster, 'SIGKILL');
    await backToLife(all);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('database: a command that starts while PostgreSQL recovers from a crash waits for it', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    await holdInRecovery(DATA_DIR);
    const grant = potluck(['admin', 'grant', '+14155550123'], { env: { DATA_DIR } });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.deepEqual(grant.output, { out: '+14155550123 is an admin now.\n', err: '' });
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('database: a command waits for a PostgreSQL elsewhere that is starting up', async () => {
    const target = await cloneDatabase();
    assert.ok(typeof target === 'object');
    const { user, password, database, socketDir, port } = target;
    let rejected = 0;
    const gate = createServer((client) => {
      client.on('error', () => {});
      if (rejected++ < 4) return void client.once('data', () => client.end(startingUpMessage));
      const upstream = connect(`${socketDir}/.s.PGSQL.${port}`).on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const address = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const grant = potluck(['admin', 'grant', '+14155550124'], {
      env: {
        DATABASE_URL: `postgres://${user}:${password}@${address}/${database}`,
        SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
      },
    });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.deepEqual(grant.output, { out: '+14155550124 is an admin now.\n', err: '' });
    assert.ok(rejected > 4);
    gate.close();
  });

  test('production: on a PostgreSQL elsewhere; the log is JSON lines that name nobody', async () => {
    const target = await cloneDatabase();
    assert.ok(typeof target === 'object');
    const { user, password, database, socketDir } = target;
    const authToken = 'a-token-not-to-be-logged';
    const server = await serve({
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(socketDir)}`,
        SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
        PUBLIC_URL: 'https://events.example.org',
        SMS_DRIVER: 'twilio',
        TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
        TWILIO_AUTH_TOKEN: authToken,
        TWILIO_FROM: '+12025550199',
        // Nobody listens there.
        TWILIO_BASE_URL: 'http://127.0.0.1:9',
      },
    });
    const { status } = await sendRequest(server, 'POST', '/v1/auth/otp/request', undefined, {
      phone: '+14155550123',
    });
    assert.equal(status, 503);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const lines = server.output.out.trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.ok(messages.includes('Twilio did not accept a message'), messages.join());
    for (const secret of ['4155550123', password, authToken]) {
      assert.ok(!`${server.output.out}${server.output.err}`.includes(secret), secret);
    }
  });
});

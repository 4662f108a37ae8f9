/** The server as a process: start, stop, kill, and crashes of its database. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../support/factories.ts';
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
} from '../support/processes.ts';
import { openSql } from '../support/sql-tag.ts';
import { cloneDatabase, connectTo, urlOf } from '../support/test-database.ts';

cleanUpAfterTests();

/** Creates events from 20 concurrent callers until the server has ended; collects the acknowledged ids. */
function writeContinuously(server: Server, token: string) {
  const ids: string[] = [];
  const writers = Array.from({ length: 20 }, async () => {
    try {
      for (;;) {
        const { status, body } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
        if (status === 201 && body.id) ids.push(body.id);
      }
    } catch {
      // The server has ended.
    }
  });
  return { ids, ended: Promise.all(writers) };
}

/** Waits for the first acknowledged write, and then for 300 ms. */
async function waitForWrites({ ids }: ReturnType<typeof writeContinuously>) {
  const deadline = performance.now() + 20_000;
  while (ids.length === 0) {
    assert.ok(performance.now() < deadline, 'no write is acknowledged');
    await sleep(20);
  }
  await sleep(300);
}

/** Asserts that every event with these ids exists. */
async function expectEvents(server: Server, ids: string[]) {
  assert.ok(ids.length > 0);
  const responses = await Promise.all(ids.map((id) => sendRequest(server, 'GET', `/v1/events/${id}`)));
  assert.deepEqual(
    responses.filter(({ status }) => status !== 200),
    [],
  );
}

/** Sends a request with an incomplete body. */
async function beginRequest(server: Server) {
  const body = JSON.stringify({ phone: '+14155550123' });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  socket.write('POST /v1/auth/otp/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  socket.write(`content-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  await sleep(200);
  return { socket, rest: body.slice(5) };
}

/**
 * Crashes PostgreSQL so that it rejects connections with 57P03 for five seconds: a child process stopped with
 * SIGSTOP does not quit, and the postmaster waits that long before it kills the process and recovers.
 */
async function holdInRecovery(dataDir: string): Promise<void> {
  const postmaster = await postmasterOf(dataDir);
  const [stopped, killed] = (await postgresUnder(dataDir)).filter((pid) => pid !== postmaster);
  assert.ok(stopped && killed);
  process.kill(stopped, 'SIGSTOP');
  process.kill(killed, 'SIGKILL');
}

/** Tells whether a process holds the shared advisory lock that keeps the embedded database running. */
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

/** The message with which PostgreSQL rejects a connection with 57P03: type, length, NUL-terminated fields. */
const startingUpMessage = (() => {
  const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
})();

describe('process', { concurrency: 2 }, () => {
  test('stop: SIGTERM to only the npm process of npm start ends the server and PostgreSQL within 10 s', async () => {
    const DATA_DIR = await createTempDir();
    const server = await npmStart({ DATA_DIR });
    await stop(server, 'SIGTERM');
    await assert.rejects(fetch(`${server.url}/healthz`), 'the server still responds');
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

  test('kill -9: all acknowledged writes survive a kill of the server, with and without a kill of PostgreSQL', async () => {
    const DATA_DIR = await createTempDir();
    const first = await serve({ env: { DATA_DIR } });
    const token = await signIn(first);
    const firstWrites = writeContinuously(first, token);
    await waitForWrites(firstWrites);
    const postmaster = await postmasterOf(DATA_DIR);
    await stop(first, 'SIGKILL');
    await firstWrites.ended;
    assert.ok((await postgresUnder(DATA_DIR)).includes(postmaster), 'PostgreSQL ended with the server');

    const second = await serve({ env: { DATA_DIR } });
    assert.equal(await postmasterOf(DATA_DIR), postmaster, 'the second server started another PostgreSQL');
    await expectEvents(second, firstWrites.ids);
    const laterWrites = writeContinuously(second, token);
    await waitForWrites(laterWrites);
    second.child.kill('SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    await laterWrites.ended;

    const third = await serve({ env: { DATA_DIR } });
    await expectEvents(third, [...firstWrites.ids, ...laterWrites.ids]);
    assert.equal(await stop(third, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('stop: SIGINT completes running requests, closes idle connections and stops PostgreSQL', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    const idle = connect(Number(new URL(server.url).port), '127.0.0.1');
    idle.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(idle, 'data');
    const { socket, rest } = await beginRequest(server);
    server.child.kill('SIGINT');
    // npm forwards SIGINT, which the terminal sends to npm and to the server.
    server.child.kill('SIGINT');
    await sleep(300);
    socket.write(rest);
    const [response] = await once(socket, 'data');
    assert.match(String(response), /^HTTP\/1.1 202 /);
    assert.equal(await server.ended, 0);
    await expectNoPostgres(DATA_DIR);
    assert.equal(server.output.err, '');
    idle.destroy();
    socket.destroy();
  });

  test('stop: a signal during the first start ends the process cleanly, and the next start succeeds', async () => {
    const interrupted = await Promise.all(
      [500, 1_200].map(async (ms) => {
        const DATA_DIR = await createTempDir();
        const run = potluck(['serve'], { env: { DATA_DIR, PORT: '0', DEMO: 'off' } });
        await sleep(ms);
        // On a slow machine the signal may arrive before the process has a signal handler.
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

  test('database: PostgreSQL restarts after a crash, and the end of a command does not stop it', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    const token = await signIn(server);
    const responds = async () => (await sendRequest(server, 'GET', '/v1/auth/me', token)).status === 200;
    /** Waits until the processes of the crashed PostgreSQL have ended and the server uses its successor. */
    const waitForRestart = async (crashed: number[]) => {
      const isBack = async () => {
        const running = await postgresUnder(DATA_DIR);
        const isNew = running.length > 1 && !running.some((pid) => crashed.includes(pid));
        return isNew && (await responds()) && (await hasJoined(DATA_DIR));
      };
      const deadline = performance.now() + 60_000;
      while (!(await isBack())) {
        assert.ok(performance.now() < deadline, 'PostgreSQL did not restart');
        await sleep(50);
      }
    };
    const postmaster = await postmasterOf(DATA_DIR);
    // When a child process is killed, PostgreSQL closes all connections and restarts.
    const helpers = (await postgresUnder(DATA_DIR)).filter((pid) => pid !== postmaster);
    process.kill(helpers[0] ?? 0, 'SIGKILL');
    await waitForRestart(helpers);
    const grant = potluck(['admin', 'grant', '+14155550123'], { env: { DATA_DIR } });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.equal((await sendRequest(server, 'GET', '/v1/auth/me', token)).body.role, 'admin');
    assert.equal(await postmasterOf(DATA_DIR), postmaster);
    const pids = await postgresUnder(DATA_DIR);
    process.kill(postmaster, 'SIGKILL');
    await waitForRestart(pids);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('database: a command that starts while PostgreSQL recovers from a crash waits for the recovery', async () => {
    const DATA_DIR = await createTempDir();
    const server = await serve({ env: { DATA_DIR } });
    await holdInRecovery(DATA_DIR);
    const grant = potluck(['admin', 'create', '+14155550123'], { env: { DATA_DIR } });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.match(
      grant.output.out,
      /^Created an account for \+14155550123\.\n\+14155550123 is an admin now\.\n/,
    );
    assert.equal(grant.output.err, '');
    assert.equal(await stop(server, 'SIGTERM'), 0);
    await expectNoPostgres(DATA_DIR);
  });

  test('database: a command waits for an external PostgreSQL that is starting up', async () => {
    const target = await cloneDatabase();
    let rejected = 0;
    const gate = createServer((client) => {
      client.on('error', () => {});
      if (rejected++ < 4) return void client.once('data', () => client.end(startingUpMessage));
      const upstream = connectTo(target).on('error', () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    gate.listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const address = `127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const grant = potluck(['admin', 'create', '+14155550124'], {
      env: {
        DATABASE_URL: urlOf(target, { address }),
        SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
      },
    });
    assert.equal(await grant.ended, 0, grant.output.err);
    assert.match(
      grant.output.out,
      /^Created an account for \+14155550124\.\n\+14155550124 is an admin now\.\n/,
    );
    assert.equal(grant.output.err, '');
    assert.ok(rejected > 4);
    gate.close();
  });

  test('database: one warning at the start for each variable with a host of another machine that is not verified, without secrets', async () => {
    const target = await cloneDatabase();
    const relay = createServer((client) => {
      const upstream = connectTo(target).on('error', () => client.destroy());
      client.on('error', () => upstream.destroy());
      client.pipe(upstream).pipe(client);
    });
    relay.listen(0);
    await once(relay, 'listening');
    const { port: relayPort } = relay.address() as AddressInfo;
    // 0.0.0.0 is not a loopback address, and connects to this machine.
    const urlAt = (host: string) => urlOf(target, { address: `${host}:${relayPort}` });
    for (const [host, replicaHost, warnings] of [
      ['0.0.0.0', '127.0.0.1', ['DATABASE_URL']],
      ['127.0.0.1', '0.0.0.0', ['DATABASE_REPLICA_URLS']],
      ['127.0.0.1', '127.0.0.1', []],
    ] as const) {
      const server = await serve({
        env: {
          DATABASE_URL: urlAt(host),
          DATABASE_REPLICA_URLS: urlAt(replicaHost),
          DATA_DIR: await createTempDir(),
        },
      });
      await sendRequest(server, 'GET', '/v1/events');
      assert.equal(await stop(server, 'SIGTERM'), 0);
      const text = `${server.output.out}${server.output.err}`;
      const found = [...text.matchAll(/set sslmode=verify-full in (\w+)/g)].map(([, variable]) => variable);
      assert.deepEqual(found, warnings, text);
      assert.ok(!text.includes(new URL(target).password));
    }
    relay.close();
  });

  test('production: with an external PostgreSQL the log is JSON lines without phones, passwords and tokens', async () => {
    const target = await cloneDatabase();
    const { password } = new URL(target);
    const authToken = 'a-token-not-to-be-logged';
    const server = await serve({
      env: {
        NODE_ENV: 'production',
        DATABASE_URL: target,
        SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
        PUBLIC_URL: 'https://events.example.org',
        SMS_DRIVER: 'twilio',
        TWILIO_ACCOUNT_SID: 'AC00000000000000000000000000000001',
        TWILIO_AUTH_TOKEN: authToken,
        TWILIO_FROM: '+12025550199',
        // No server listens on this port.
        TWILIO_BASE_URL: 'http://127.0.0.1:2',
      },
    });
    const { status } = await sendRequest(server, 'POST', '/v1/auth/otp/request', undefined, {
      phone: '+14155550123',
    });
    assert.equal(status, 503);
    assert.equal(await stop(server, 'SIGTERM'), 0);
    const lines = server.output.out.trim().split('\n');
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.ok(messages.includes('the SMS service cannot be reached'), messages.join());
    for (const secret of ['4155550123', password, authToken]) {
      assert.ok(!`${server.output.out}${server.output.err}`.includes(secret), secret);
    }
  });
});

test('process: 2,000 clients that connect while the server is busy are all connected', async (t) => {
  const maxBacklog = Number(await readFile('/proc/sys/net/core/somaxconn', 'utf8').catch(() => 0));
  if (maxBacklog < 2_000) return t.skip('the system does not let so many connections wait');
  const server = await serve({ env: { DATA_DIR: await createTempDir() } });
  const { hostname, port } = new URL(server.url);
  // A stopped process accepts nothing, as a server whose event loop is busy.
  server.child.kill('SIGSTOP');
  const sockets = Array.from({ length: 2_000 }, () => connect(Number(port), hostname));
  try {
    const connected = Promise.all(sockets.map((socket) => once(socket, 'connect')));
    // While the process is stopped, the kernel completes as many handshakes as may wait, and no other ever.
    assert.notEqual(await Promise.race([connected, sleep(20_000, 'too late')]), 'too late');
  } finally {
    server.child.kill('SIGCONT');
    for (const socket of sockets) socket.destroy();
  }
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

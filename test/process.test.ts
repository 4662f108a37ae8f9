/** The server as a process: started, stopped, killed, and run twice over. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { aPlace, cleanUp, postgresUnder, potluck, type Server, serve, stop } from './processes.ts';
import { eventBody } from './world.ts';

cleanUp();

type Json = Record<string, string> & { user: Record<string, string> };

async function ask(server: Server, method: string, url: string, token?: string, body?: unknown) {
  const response = await fetch(server.url + url, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Json };
}

async function signIn(server: Server, phone = '+14155550123'): Promise<string> {
  const { body: sent } = await ask(server, 'POST', '/v1/auth/otp/request', undefined, { phone });
  const { body } = await ask(server, 'POST', '/v1/auth/otp/verify', undefined, { phone, code: sent.devCode });
  assert.ok(body.accessToken, JSON.stringify(body));
  return body.accessToken;
}

/** Creates events without a pause, from many callers at once, until the server is gone; gives those acknowledged. */
function writeWithoutPause(server: Server, token: string) {
  const ids: string[] = [];
  const writers = Array.from({ length: 20 }, async () => {
    try {
      for (;;) {
        const { status, body } = await ask(server, 'POST', '/v1/events', token, eventBody());
        if (status === 201 && body.id) ids.push(body.id);
      }
    } catch {
      // The server is gone.
    }
  });
  return { ids, over: Promise.all(writers) };
}

async function expectAll(server: Server, ids: string[]) {
  const answers = await Promise.all(ids.map((id) => ask(server, 'GET', `/v1/events/${id}`)));
  assert.deepEqual(
    answers.filter(({ status }) => status !== 200),
    [],
  );
}

async function expectNoPostgres(dataDir: string) {
  assert.deepEqual(await postgresUnder(dataDir), [], 'a PostgreSQL process is left');
}

test('stop: SIGINT answers what is under way, lets idle connections go, and leaves no PostgreSQL', async () => {
  const DATA_DIR = await aPlace();
  const server = await serve({ env: { DATA_DIR } });
  const { port } = new URL(server.url);
  const idle = connect(Number(port), '127.0.0.1');
  idle.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(idle, 'data');
  const slow = connect(Number(port), '127.0.0.1');
  const body = JSON.stringify({ phone: '+14155550123' });
  slow.write(`POST /v1/auth/otp/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n`);
  slow.write(`content-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
  await sleep(200);
  server.child.kill('SIGINT');
  await sleep(500);
  slow.write(body.slice(5));
  const [answer] = await once(slow, 'data');
  assert.match(String(answer), /^HTTP\/1.1 202 /);
  assert.equal(await stop(server, 'SIGINT'), 0);
  await expectNoPostgres(DATA_DIR);
  assert.equal(server.output.err, '');
  idle.destroy();
  slow.destroy();
});

test('stop: SIGTERM does not wait for a request that never ends', async () => {
  const DATA_DIR = await aPlace();
  const server = await serve({ env: { DATA_DIR } });
  const stuck = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  stuck.write('POST /v1/auth/otp/request HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n');
  stuck.write('content-length: 100\r\n\r\n{');
  const drip = setInterval(() => stuck.write(' '), 200);
  await sleep(200);
  assert.equal(await stop(server, 'SIGTERM'), 0);
  clearInterval(drip);
  stuck.destroy();
  await expectNoPostgres(DATA_DIR);
});

test('stop: a signal during the first start ends it cleanly, and the next start works', async () => {
  const early = await Promise.all(
    [400, 800, 1_200, 1_600].map(async (ms) => {
      const DATA_DIR = await aPlace();
      const run = potluck(['serve'], { env: { DATA_DIR, PORT: '0', DEMO: 'off' } });
      await sleep(ms);
      // On a slow machine the first signal may come before there is anything to end.
      const outcome = await stop(run, 'SIGTERM');
      const isEarly = outcome === 'SIGTERM' && run.output.out === '';
      assert.ok(outcome === 0 || isEarly, `after ${ms} ms: ${outcome} ${run.output.err}`);
      assert.equal(run.output.err, '');
      await expectNoPostgres(DATA_DIR);
      return DATA_DIR;
    }),
  );
  const server = await serve({ env: { DATA_DIR: early[1] ?? '' } });
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

test('kill -9: every acknowledged write is there after it, whether or not PostgreSQL died as well', async () => {
  const DATA_DIR = await aPlace();
  const first = await serve({ env: { DATA_DIR } });
  const token = await signIn(first);
  const before = writeWithoutPause(first, token);
  await sleep(500);
  const [postmaster] = await postgresUnder(DATA_DIR);
  await stop(first, 'SIGKILL');
  await before.over;
  assert.ok(before.ids.length > 0);
  assert.ok((await postgresUnder(DATA_DIR)).length > 0, 'PostgreSQL outlives its app');

  const second = await serve({ env: { DATA_DIR } });
  assert.ok((await postgresUnder(DATA_DIR)).includes(postmaster ?? 0), 'it is adopted');
  await expectAll(second, before.ids);
  const later = writeWithoutPause(second, token);
  await sleep(500);
  second.child.kill('SIGKILL');
  for (const pid of await postgresUnder(DATA_DIR)) {
    if (pid === postmaster) process.kill(pid, 'SIGKILL');
  }
  await later.over;
  assert.ok(later.ids.length > 0);

  const third = await serve({ env: { DATA_DIR } });
  await expectAll(third, [...before.ids, ...later.ids]);
  assert.equal(await stop(third, 'SIGTERM'), 0);
  await expectNoPostgres(DATA_DIR);
});

/** SIGTERM while pages and requests are in progress: what a server has begun to read gets its response. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventBody } from '../support/factories.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  type Server,
  sendRequest,
  serve,
  signIn,
  signInBrowser,
} from '../support/processes.ts';
import { connectSql } from '../support/sql-tag.ts';
import { cloneDatabase } from '../support/test-database.ts';

cleanUpAfterTests();

/** A connection that stays open between requests, as those of a proxy. */
function openConnection({ url }: Server) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return {
    send(head: string, body = '') {
      received = '';
      socket.write(`${head}\r\nhost: x\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    },
    /** The response, when its connection has closed or `text` has arrived. */
    async receive(text?: string): Promise<string> {
      const done = { closed: false };
      void closed.then(() => {
        done.closed = true;
      });
      await until('a response', async () => done.closed || (text !== undefined && received.includes(text)));
      return received;
    },
  };
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `waited too long for ${what}`);
    await sleep(10);
  }
}

const listens = async ({ url }: Server): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

test('stop: pages that wait for the database, and requests on open connections, get their responses', async (t) => {
  const target = await cloneDatabase();
  const env = { DATABASE_URL: target, DATA_DIR: await createTempDir(), NODE_ENV: 'test' };
  const server = await serve({ env: { ...env, LOG_LEVEL: 'info' } });
  const sql = connectSql(target);
  t.after(() => sql.end({ timeoutMs: 1_000 }));
  const token = await signIn(server);
  const cookie = await signInBrowser(server);
  const { body: event } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  // The pages are loaded once, so that the requests below wait for nothing but the lock.
  const connections = ['', `\r\ncookie: ${cookie}`].flatMap((session) =>
    ['/', `/e/${event.id}`].map((path) => ({
      head: `GET ${path} HTTP/1.1\r\naccept: text/html${session}`,
      ...openConnection(server),
    })),
  );
  for (const { send, receive, head } of connections) {
    send(head);
    assert.match(await receive('</html>'), /^HTTP\/1.1 200 /);
  }
  const idle = openConnection(server);
  idle.send('GET /healthz HTTP/1.1');
  await idle.receive('\r\n\r\n');

  const released = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const transaction = sql.begin(async (tx) => {
    await tx`lock table users, sessions, events, event_counters, changes in access exclusive mode`;
    locked.resolve();
    await released.promise;
  });
  await Promise.race([locked.promise, transaction]);
  for (const { send, head } of connections) send(head);
  await until('statements that wait for the lock', async () => {
    const [row] = await sql<[{ waiting: number }]>`
      select count(distinct pid)::int as waiting from pg_locks where not granted`;
    return row.waiting > 0;
  });
  server.child.kill('SIGTERM');
  await until('the end of the listening', async () => !(await listens(server)));
  // A proxy sends on a connection that it has kept open.
  const body = JSON.stringify(eventBody());
  idle.send(
    `POST /v1/events HTTP/1.1\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json`,
    body,
  );
  released.resolve();
  await transaction;

  for (const { head, receive } of connections) {
    const response = await receive();
    assert.match(response, /^HTTP\/1.1 200 /, `${head}\n${response.slice(0, 300)}\n${server.output.err}`);
    assert.match(response, /\r\nconnection: close\r\n/i);
    assert.match(response, /<\/html>/);
  }
  const created = await idle.receive();
  assert.match(created, /^HTTP\/1.1 201 /);
  assert.match(created, /\r\nconnection: close\r\n/i);
  assert.equal(await server.ended, 0);
  assert.equal(server.output.err, '');
});

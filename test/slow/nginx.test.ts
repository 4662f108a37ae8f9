/** The chapter on nginx of docs/operating.md, run with nginx in front of two servers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { eventBody } from '../support/factories.ts';
import { findFreePorts } from '../support/free-ports.ts';
import {
  cleanUpAfterTests,
  createTempDir,
  type Server,
  sendRequest,
  serve,
  signIn,
} from '../support/processes.ts';
import { cloneDatabase } from '../support/test-database.ts';
import { missingTools, openSecureClient, readNginxChapter, replaceAll, startNginx } from './nginx.ts';

cleanUpAfterTests();

const isMissing = missingTools.length > 0;
if (isMissing && process.env.CI) throw new Error(`${missingTools.join(' and ')} must be installed`);
const skip = isMissing && `needs ${missingTools.join(' and ')}`;

const ports = await findFreePorts(2);
const { config, restart } = await readNginxChapter();
const env: Record<string, string> = {
  DATABASE_URL: await cloneDatabase(),
  DATA_DIR: await createTempDir(),
  SECRET_KEY: 'the-key-of-the-tests-is-long-enough',
  PUBLIC_URL: 'https://events.example.org',
  TRUST_PROXY: 'loopback',
  DEV_CODES: 'on',
  LOG_REQUESTS: 'on',
  // All requests of the test come from one address.
  RATE_LIMIT: '0',
};
const servers = new Map</** the port */ number, Promise<Server>>();
const start = (port: number) => servers.set(port, serve({ env: { ...env, PORT: `${port}` } }));

const shared = skip ? null : await open();

async function open() {
  for (const port of ports) start(port);
  const [server] = await Promise.all(servers.values());
  assert.ok(server);
  const nginx = await startNginx(config, ports);
  const client = openSecureClient(nginx);
  after(async () => {
    client.close();
    await nginx.stop();
  });
  const token = await signIn(server);
  const { body: event } = await sendRequest(server, 'POST', '/v1/events', token, eventBody());
  return { nginx, token, event, ...client };
}

/** The parts that all tests use. A test that is skipped does not run. */
function opened() {
  assert.ok(shared);
  return shared;
}

/** Waits until the text contains `part`, and returns the text. A log may have a request later than its client. */
async function findText(read: () => Promise<string>, part: string): Promise<string> {
  for (let waited = 0; ; waited += 20) {
    const found = await read();
    if (found.includes(part)) return found;
    assert.ok(waited < 20_000, `${found}\nhas no ${part}`);
    await sleep(20);
  }
}

/** Everything that the servers have logged. */
const readServerLogs = async () =>
  (await Promise.all(servers.values())).map(({ output }) => output.out + output.err).join('');

test('nginx: an image of 10 MiB arrives; 413 for one of 12 MiB', { skip }, async () => {
  const { send, token } = opened();
  // Random pixels cannot be compressed: three bytes each.
  const [width, height] = [1_860, 1_870];
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const create = { width, height, channels: 3, background: '#fff', noise } as const;
  const image = await sharp({ create }).png({ compressionLevel: 0 }).toBuffer();
  assert.ok(image.length > 9.9 * 1024 ** 2 && image.length <= 10 * 1024 ** 2, `${image.length}`);
  const headers = { 'content-type': 'image/png' };
  const accepted = await send('POST', '/v1/uploads', { token, body: image, headers });
  assert.equal(accepted.statusCode, 201, await text(accepted));
  const refused = await send('POST', '/v1/uploads', { token, body: Buffer.alloc(12 * 1024 ** 2), headers });
  refused.resume();
  assert.equal(refused.statusCode, 413);
});

test('nginx: a live stream sends each change at once', { skip }, async () => {
  const { send, token, event } = opened();
  const stream = await send('GET', `/v1/events/${event.id}/live`, { token });
  let received = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk;
  });
  const title = 'Potluck behind nginx';
  const read = async () => received;
  await findText(read, '\n\n');
  const changed = await send('PATCH', `/v1/events/${event.id}`, { token, body: JSON.stringify({ title }) });
  assert.equal(changed.statusCode, 200, await text(changed));
  await findText(read, title);
  assert.ok(!stream.complete);
  stream.destroy();
});

test('nginx: servers get the address of the client and the request id of nginx, not those that the client claims', {
  skip,
}, async () => {
  const { send, nginx } = opened();
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'claimed' };
  const response = await send('GET', '/v1/events?q=secret', { headers, localAddress: '127.0.0.2' });
  await text(response);
  const requestId = `${response.headers['x-request-id']}`;
  assert.match(requestId, /^[0-9a-f]{32}$/);
  const log = await findText(nginx.readLog, requestId);
  const line = log.split('\n').find((each) => each.endsWith(requestId));
  assert.match(line ?? log, /^127\.0\.0\.2 \[.+\] GET \/v1\/events 200 /);
  const logs = await findText(readServerLogs, requestId);
  const entry = logs.slice(logs.indexOf(requestId), logs.indexOf(requestId) + 300);
  assert.match(entry, /address: "127\.0\.0\.2"/);
  assert.ok(!logs.includes('203.0.113.9'));
});

test('nginx: the secret address of a calendar is in no log; 404 for /metrics', { skip }, async () => {
  const { send, nginx } = opened();
  assert.equal((await send('GET', '/v1/calendars/the-secret.ics')).statusCode, 404);
  assert.equal((await send('GET', '/metrics')).statusCode, 404);
  // A request that is logged later.
  assert.equal((await send('GET', '/healthz')).statusCode, 200);
  assert.ok(!(await findText(nginx.readLog, '/healthz')).includes('the-secret'));
});

test('nginx: a rolling restart under reads, pages and writes loses no request', { skip }, async () => {
  const { token, event, send } = opened();
  const requests = [
    ['GET', '/v1/events', 200],
    ['GET', '/', 200],
    ['GET', `/e/${event.id}`, 200],
    ['POST', '/v1/events', 201],
  ] as const;
  const state = { isRunning: true, sent: 0 };
  const failures: string[] = [];
  const clients = Array.from({ length: 12 }, async (_, at) => {
    for (let turn = at; state.isRunning; turn++) {
      const [method, route, expected] = requests[turn % requests.length] ?? requests[0];
      const body = method === 'POST' ? JSON.stringify(eventBody()) : undefined;
      const status = await send(method, route, { ...(body && { token, body }) })
        .then(async (response) => {
          await text(response);
          return response.statusCode;
        })
        .catch((error: NodeJS.ErrnoException) => error.code);
      state.sent++;
      if (status !== expected) failures.push(`${method} ${route}: ${status}`);
    }
  });
  await restartServers();
  state.isRunning = false;
  await Promise.all(clients);
  assert.ok(state.sent > 100, `${state.sent}`);
  assert.deepEqual(failures, [], `of ${state.sent} requests`);
});

/** Runs the commands of the document with a `systemctl` that restarts the servers of this file. */
async function restartServers(): Promise<void> {
  const codes: unknown[] = [];
  const manager = createServer(async ({ url }, response) => {
    const port = Number(url?.split('@')[1]);
    const server = await servers.get(port);
    server?.child.kill('SIGTERM');
    codes.push(await server?.ended);
    start(port);
    response.end();
  });
  await new Promise<void>((resolve) => manager.listen(0, '127.0.0.1', () => resolve()));
  const directory = await createTempDir();
  const systemctl = path.join(directory, 'systemctl');
  const address = `http://127.0.0.1:${(manager.address() as AddressInfo).port}`;
  await writeFile(systemctl, `#!/bin/sh\ncurl -fs "${address}/$1/$2"\n`);
  await chmod(systemctl, 0o755);
  const script = replaceAll(restart, { '3001 3002': ports.join(' ') });
  await promisify(execFile)('/bin/sh', ['-euc', script], {
    env: { ...process.env, PATH: `${directory}:${process.env.PATH}` },
  });
  manager.close();
  await Promise.all(servers.values());
  assert.deepEqual(codes, [0, 0]);
}

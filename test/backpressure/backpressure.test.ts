/** Clients that read their responses slowly or not at all: they keep no place from other clients. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rm, truncate } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { slowTest } from '../support/all-cases.ts';
import { openEventStream } from '../support/event-stream-client.ts';
import { createEvent, createUser } from '../support/factories.ts';
import { expectProblem, expectStatus, startTestApp } from '../support/setup.ts';
import { listFiles, upload } from '../support/upload-helpers.ts';

const dataDir = path.join(os.tmpdir(), `potluck-unread-${randomBytes(6).toString('hex')}`);
// Each client has the address of its X-Forwarded-For.
const api = await startTestApp({ env: { DATA_DIR: dataDir, TRUST_PROXY: 'loopback' }, hasTimeLimits: true });
after(() => rm(dataDir, { recursive: true, force: true }));
const person = await createUser(api);
const image = await storeLargeImage();

/** Stores an image that is larger than the buffers of a connection. */
async function storeLargeImage(): Promise<string> {
  const bytes = 256 * 1024 ** 2;
  const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  const { body } = expectStatus(await upload(api, person, png), 201);
  const [file = ''] = await listFiles(dataDir);
  const id = path.basename(file, '.webp');
  await truncate(path.join(dataDir, 'uploads', id.slice(-2), file), bytes);
  await api.sql`update uploads set bytes = ${bytes} where id = ${id}`;
  return new URL(body.url).pathname;
}

/** Creates a list of items that is larger than the buffers of a connection, as it was possible without a limit. */
async function createLongList(): Promise<string> {
  const { id } = await createEvent(api, person);
  const items = 8_000;
  await api.sql`
    insert into items (event_id, n, kind, title, description, emoji, created_at)
    select ${id}, n, 'wish', 'Plates', ${'🍽'.repeat(1_000)}, '🍽', now() from generate_series(1, ${items}) n`;
  await api.sql`insert into item_stock (event_id, n, needed, claimed) select ${id}, n, 5, 0 from generate_series(1, ${items}) n`;
  await api.sql`update event_counters set last_item = ${items} where event_id = ${id}`;
  return `/v1/events/${id}/items`;
}

const sockets: net.Socket[] = [];
const closeAll = () => {
  for (const socket of sockets.splice(0)) socket.destroy();
};
test.afterEach(async () => {
  closeAll();
  // The server looks at its responses every 250 ms.
  await sleep(600);
});
after(closeAll);

/**
 * Requests a path, repeatedly on one connection (pipelining), and does not read the responses. The first has begun when
 * the promise resolves.
 */
async function downloadUnread(address: string, requests = 1, from = image): Promise<net.Socket> {
  const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  socket.write(`GET ${from} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`.repeat(requests));
  await once(socket, 'readable');
  return socket;
}
/** Opens connections with 100 unread downloads each. */
async function downloadHundreds(count: number, address: string): Promise<void> {
  for (let i = 0; i < count; i++) await downloadUnread(address, 100);
}

const countConnections = () => promisify(api.app.server.getConnections.bind(api.app.server))();
async function untilConnections(matches: (count: number) => boolean): Promise<void> {
  for (let waited = 0; !matches(await countConnections()); waited += 100) {
    assert.ok(waited < 20_000, `${await countConnections()} connections are open`);
    await sleep(100);
  }
}

const getFrom = (address: string, url = '/v1/categories') =>
  api.call('GET', url, { headers: { 'x-forwarded-for': address } });

slowTest(
  'stalled: 900 unread downloads of three addresses take no place, and lose their connections after 15 s',
  async (t) => {
    const list = await createLongList();
    const before = await countConnections();
    // Clients that read slowly keep their connections: one reads a file, one a body that the server has in memory.
    const slow = await downloadUnread('203.0.113.9');
    const slowList = await downloadUnread('203.0.113.9', 1, list);
    const reading = setInterval(() => {
      slow.read();
      slowList.read(16 * 1024);
    }, 25);
    t.after(() => clearInterval(reading));
    const since = performance.now();
    for (const n of [1, 2, 3]) await downloadHundreds(3, `203.0.113.${n}`);
    for (let i = 0; i < 20; i++) expectStatus(await getFrom('203.0.113.7'), 200);
    await sleep(10_000);
    const open = await countConnections();
    assert.ok(open >= before + 10, `${open - before} of 10 connections are open after ten seconds`);
    await untilConnections((count) => count <= before + 3);
    const tookMs = performance.now() - since;
    assert.ok(tookMs > 14_000, `${tookMs} ms`);
    await sleep(3_000);
    const bytesRead = [slow.bytesRead, slowList.bytesRead];
    await sleep(1_000);
    assert.ok(slow.bytesRead > (bytesRead[0] ?? 0), 'the slow client of the file was disconnected');
    assert.ok(slowList.bytesRead > (bytesRead[1] ?? 0), 'the slow client of the list was disconnected');
  },
);

test('limit: at most 400 unread responses for each address, then 429 with Retry-After; other addresses get 200', async () => {
  await downloadHundreds(3, '203.0.113.1');
  await sleep(600);
  expectStatus(await getFrom('203.0.113.1'), 200);
  const before = await countConnections();
  await Promise.all([downloadUnread('203.0.113.1', 100), downloadUnread('203.0.113.1', 100)]);
  // The responses of both reach the limit together, and the one that is above it is closed alone.
  await untilConnections((count) => count <= before + 1);
  const refused = expectProblem(await getFrom('203.0.113.1'), 429, 'too_many_requests');
  assert.ok(Number(refused.headers.get('retry-after')) >= 1);
  expectStatus(await getFrom('203.0.113.1', '/healthz'), 200);
  expectStatus(await getFrom('203.0.113.2'), 200);
  closeAll();
  await sleep(600);
  expectStatus(await getFrom('203.0.113.1'), 200);
});

slowTest('venue: 100 listeners and 100 phones that load slowly share one address', async () => {
  const { id } = await createEvent(api, person);
  const streams = await Promise.all(
    Array.from({ length: 100 }, () => openEventStream(`${api.url}/v1/events/${id}/live`)),
  );
  assert.deepEqual(
    streams.map(({ status }) => status),
    streams.map(() => 200),
  );
  for (let i = 0; i < 100; i++) await downloadUnread('127.0.0.1');
  await sleep(600);
  const pages = await Promise.all(Array.from({ length: 100 }, () => api.get(`/v1/events/${id}`)));
  for (const page of pages) expectStatus(page, 200);
  for (const stream of streams) await stream.until(({ event }) => event === 'snapshot');
  for (const stream of streams) stream.close();
});

test('places: one address cannot take all of them', async () => {
  const slowBody = (address: string) => {
    const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(
      `POST /v1/auth/refresh HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    );
  };
  for (let i = 0; i < 1_000; i++) slowBody('203.0.113.1');
  let own = await getFrom('203.0.113.1');
  for (let tries = 0; own.status !== 503 && tries < 100; tries++) {
    await sleep(20);
    own = await getFrom('203.0.113.1');
  }
  expectProblem(own, 503, 'unavailable');
  expectStatus(await getFrom('203.0.113.2'), 200);
});

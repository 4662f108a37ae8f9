/** Processes of a server that are killed or restarted under load: which requests fail. */
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import { createClient, createEvent, getEvent, iterate, listMyEvents } from '@potluck/client';
import { eventBody } from '../support/factories.ts';
import { readBytes, request, send } from '../support/http-client.ts';
import { cleanUpAfterTests, createTempDir, type Server, serve, signIn, stop } from '../support/processes.ts';
import { killProcess, runRepeatedly, until, untilReady, workersOf } from '../support/workers.ts';

cleanUpAfterTests();

const skip = process.platform !== 'linux' && 'it reads /proc';

const serveWithTwo = async () => serve({ env: { DATA_DIR: await createTempDir(), SERVERS: '2' } });

/** A loop that creates events and reads them, by the client library. `titles`: of the events that were created. */
function createLoop({ url }: Server, accessToken: string, name: string) {
  const titles: string[] = [];
  const client = createClient({ baseUrl: url, headers: { authorization: `Bearer ${accessToken}` } });
  const run = async () => {
    const title = `${name} ${titles.length}`;
    const { data } = await createEvent({ client, body: { ...eventBody(), category: 'food', title } });
    await getEvent({ client, path: { id: data.id } });
    titles.push(title);
  };
  return { client, titles, run };
}

test('servers: under load, a killed process costs no request of the client library, and new connections are answered at once', {
  skip,
}, async () => {
  const server = await serveWithTwo();
  const token = await signIn(server);
  const loops = Array.from({ length: 8 }, (_, i) => createLoop(server, token, `Loop ${i}`));
  const load = runRepeatedly(loops.map(({ run }) => run));
  for (let kills = 0; kills < 4; kills++) {
    await untilReady(server, 2);
    const sent = loops.reduce((sum, { titles }) => sum + titles.length, 0);
    await until(
      'requests',
      async () => loops.reduce((sum, { titles }) => sum + titles.length, 0) > sent + 20,
    );
    await killProcess((await workersOf(server))[kills % 2] ?? 0);
    const responses = await Promise.all(Array.from({ length: 20 }, () => request(`${server.url}/v1/events`)));
    assert.ok(responses.every(({ status }) => status === 200));
  }
  const counts = await load.stop();
  assert.ok(counts.every((count) => count > 0));
  // Each event once, also where a response was lost and the request was repeated.
  const [{ client } = assert.fail()] = loops;
  const events = iterate(listMyEvents, { client, query: { relation: 'organizing' } });
  const created = await Array.fromAsync(events, ({ title }) => title);
  assert.deepEqual(created.sort(), loops.flatMap(({ titles }) => titles).sort());
  assert.equal(await stop(server, 'SIGTERM'), 0);
});

/** A loop of requests on one connection that stays open, or on a new connection for each. Fails if a request does. */
function requestLoop({ url }: Server, token: string, keepAlive: boolean): () => Promise<void> {
  const agent = keepAlive && new Agent({ keepAlive, maxSockets: 1 });
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const response = await readBytes(await send(url + path, { method, headers, body: text }, agent));
    assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.bytes}`);
    return JSON.parse(response.bytes.toString());
  };
  return async () => {
    const { id } = await call('POST', '/v1/events', eventBody());
    await call('GET', `/v1/events/${id}`);
  };
}

test('servers: SIGHUP restarts all processes one after the other, and no request fails', {
  skip,
}, async () => {
  const server = await serveWithTwo();
  const token = await signIn(server);
  const load = runRepeatedly(Array.from({ length: 8 }, (_, i) => requestLoop(server, token, i % 2 === 0)));
  for (let restarts = 1; restarts <= 2; restarts++) {
    const old = await workersOf(server);
    server.child.kill('SIGHUP');
    // During a restart, it has no effect.
    server.child.kill('SIGHUP');
    await until('the end of the restart', async () => {
      const ends = server.output.out.match(/the server processes were restarted/g) ?? [];
      return ends.length === restarts;
    });
    const present = await workersOf(server);
    assert.equal(present.length, 2);
    assert.deepEqual(
      present.filter((pid) => old.includes(pid)),
      [],
    );
  }
  const counts = await load.stop();
  assert.ok(counts.every((count) => count > 0));
  assert.equal(await stop(server, 'SIGTERM'), 0);
  assert.equal(server.output.err, '');
});

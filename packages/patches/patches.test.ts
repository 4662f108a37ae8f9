/** What this folder assumes of Node.js and of libraries. A test that fails after an update names the assumption. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { addressOf, type PoolCallback, redirect, streamOf, tlsOf, watchSettings } from './index.ts';

const message = (type: string, body: string | Buffer) => {
  const content = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeInt32BE(content.length + 4);
  return Buffer.concat([Buffer.from(type), length, content]);
};
const isReady = [message('R', Buffer.alloc(4)), message('S', 'in_hot_standby\0on\0'), message('Z', 'I')];

/** A server that answers the first message of each connection as PostgreSQL does, and reports one setting. */
async function startPostgres(t: TestContext): Promise<{ host: string; port: number }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.once('data', () => socket.write(Buffer.concat(isReady)));
    socket.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: '127.0.0.1', port: (server.address() as { port: number }).port };
}

/** The tests end connections by closing the stream. */
function createClient(config: pg.ClientConfig): pg.Client {
  const client = new pg.Client(config);
  client.on('error', () => {});
  return client;
}

test('pg: a client has its stream before it connects, and sends on it', async (t) => {
  const client = createClient(await startPostgres(t));
  const stream = streamOf(client);
  assert.equal(typeof stream?.cork, 'function');
  await client.connect();
  assert.equal(streamOf(client), stream);
  client.query('select 1').catch(() => {});
  assert.ok((stream as Socket).bytesWritten > 0);
  stream.destroy();
});

test('pg: a client connects to the host and port that it has when it connects', async (t) => {
  const address = await startPostgres(t);
  const client = createClient({ host: 'unknown.invalid', port: 1 });
  redirect(client, address);
  assert.deepEqual(addressOf(client), address);
  await client.connect();
  streamOf(client).destroy();
});

test('pg: a client reports the settings that PostgreSQL sends while it connects', async (t) => {
  const client = createClient(await startPostgres(t));
  const reported: [string, string][] = [];
  const unwatch = watchSettings(client, (...setting) => reported.push(setting));
  await client.connect();
  unwatch();
  assert.deepEqual(reported, [['in_hot_standby', 'on']]);
  streamOf(client).destroy();
});

test('pg: a client has the TLS options of its URL', () => {
  const of = (query: string) =>
    tlsOf(new pg.Client({ connectionString: `postgres://db.example/x?uselibpqcompat=true&${query}` }));
  assert.equal(of('sslmode=disable'), false);
  assert.deepEqual(of('sslmode=require'), { rejectUnauthorized: false });
});

test('pg: a pool connects clients of another class with a callback, and takes null for success', async (t) => {
  const callbacks: unknown[] = [];
  class Client extends pg.Client {
    override connect(): Promise<this>;
    override connect(callback: PoolCallback): void;
    override connect(callback?: PoolCallback): Promise<this> | undefined {
      callbacks.push(callback);
      super.connect().then(() => callback?.(null));
      return undefined;
    }
  }
  const pool = new pg.Pool({ ...(await startPostgres(t)), Client: Client as pg.PoolConfig['Client'] });
  pool.on('error', () => {});
  const client = await pool.connect();
  assert.deepEqual(callbacks.map(String), [String(callbacks[0])]);
  assert.equal(typeof callbacks[0], 'function');
  client.release(true);
});

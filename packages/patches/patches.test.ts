/** What this folder assumes of Node.js and of libraries. A test that fails after an update names the assumption. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer, type RequestListener, type ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import compress from '@fastify/compress';
import fastify from 'fastify';
import pg from 'pg';
import {
  addressOf,
  closeAfter,
  type PoolCallback,
  postponeClose,
  redirect,
  responseOn,
  stopAccepting,
  streamOf,
  takeCompressHook,
  tlsOf,
  watchSettings,
} from './index.ts';

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

/** A server that answers as `listener` says. @returns its address, and a function that sends text on a new connection */
async function startHttp(t: TestContext, listener: RequestListener) {
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const sockets: Socket[] = [];
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  const send = (text: string): Socket => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    socket.on('error', () => {});
    socket.write(text);
    return socket;
  };
  return { server, send };
}

const post = 'POST / HTTP/1.1\r\nHost: a\r\n';

test('node: the response of a request whose body is malformed is known by its socket', async (t) => {
  const { server, send } = await startHttp(t, (request) => void request.resume());
  const found = Promise.withResolvers<ServerResponse | null>();
  server.on('clientError', (_error, socket) => {
    found.resolve(responseOn(socket as Socket));
    socket.destroy();
  });
  send(`${post}Transfer-Encoding: chunked\r\nX-Request-Id: known\r\n\r\nnot a length\r\n`);
  assert.equal((await found.promise)?.req.headers['x-request-id'], 'known');
});

test('node: after a response before the end of a body, a first listener of its end can keep the connection open for reading', async (t) => {
  const rest = Promise.withResolvers<string>();
  const { send } = await startHttp(t, (request, response) => {
    response.prependOnceListener('finish', () => {
      const closeIfAsked = postponeClose(request.socket);
      let text = '';
      request.on('data', (chunk) => {
        text += chunk;
      });
      request.once('end', () => {
        rest.resolve(text);
        closeIfAsked();
      });
      request.read();
    });
    response.writeHead(413, { connection: 'close' }).end();
  });
  const socket = send(`${post}Content-Length: 4\r\n\r\n`);
  const [response] = await once(socket, 'data');
  assert.match(`${response}`, /^HTTP\/1\.1 413/);
  await once(socket.resume(), 'end');
  socket.end('rest');
  assert.equal(await rest.promise, 'rest');
});

test('node: a response can be made to close its connection after its request has arrived', async (t) => {
  const { send } = await startHttp(t, (_request, response) => {
    closeAfter(response);
    response.end('x');
  });
  const [response] = await once(send('GET / HTTP/1.1\r\nHost: a\r\n\r\n'), 'data');
  assert.match(`${response}`, /^connection: close\r$/im);
});

test('node: a server can stop listening and keep its idle connections', async (t) => {
  const { server, send } = await startHttp(t, (_request, response) => void response.end('x'));
  const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const socket = send(get);
  await once(socket, 'data');
  stopAccepting(server);
  assert.equal(server.listening, false);
  socket.write(get);
  const [response] = await once(socket, 'data');
  assert.match(`${response}`, /^HTTP\/1\.1 200/);
});

test('@fastify/compress: its hook is the last one of a route, and compresses', async (t) => {
  const app = fastify();
  t.after(() => app.close());
  await app.register(compress, { global: false });
  let calls = 0;
  app.addHook('onRoute', (route) => {
    const hook = takeCompressHook(route);
    route.onSend = function (...parameters) {
      calls++;
      return hook.apply(this, parameters);
    };
  });
  app.get('/', { compress: { threshold: 1, encodings: ['gzip'] } }, async () => 'x'.repeat(1_000));
  const { headers } = await app.inject({ path: '/', headers: { 'accept-encoding': 'gzip' } });
  assert.equal(calls, 1);
  assert.equal(headers['content-encoding'], 'gzip');
});

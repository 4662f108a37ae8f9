/** Responses sent while the client is still sending the body: the client must receive them (RFC 9112, 9.6). */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { often, slowTest } from '../support/all-cases.ts';
import { createUser } from '../support/factories.ts';
import { http } from '../support/http-client.ts';
import { startTestApp, TestClock } from '../support/setup.ts';
import { connectSql } from '../support/sql-tag.ts';

const api = await startTestApp();
const caller = await createUser(api);
/** A clock that stands still, so that the rate limit of its minute stays exhausted. */
class StoppedClock extends TestClock {
  readonly #moment = new Date();
  override now = () => this.#moment;
}
const limited = await api.startAnother({
  env: { RATE_LIMIT: '1' },
  clock: new StoppedClock(),
  // Without a database, a server counts the minutes of its own clock.
  sql: connectSql('postgres://reader@127.0.0.1:1/none'),
});
const MiB = 1024 ** 2;
const attempts = often(15, 1);

/** The requests and their expected statuses. */
const cases = [
  { path: '/v1/uploads', type: 'image/png', bytes: 12 * MiB, status: 413 },
  { path: '/v1/uploads', type: 'image/gif', bytes: 9 * MiB, status: 415 },
  { path: '/v1/uploads', type: 'text/html', bytes: 15 * MiB, status: 415 },
  { path: '/v1/events', type: 'application/json', bytes: 3 * MiB, status: 413 },
  { path: '/v1/events', type: 'application/json', bytes: 11 * MiB, status: 413 },
  { path: '/v1/events', type: 'text/plain', bytes: 5 * MiB, status: 415 },
  { path: '/v1/nothing', type: 'image/png', bytes: 12 * MiB, status: 404 },
  { path: '/v1/categories', type: 'application/json', bytes: 12 * MiB, status: 405 },
  { path: '/v1/uploads', type: 'image/png', bytes: 10 * MiB, status: 401, token: '' },
  { path: '/v1/uploads', type: 'image/png', bytes: 10 * MiB, status: 429, url: limited.url },
];

type Case = { path: string; type: string; token?: string; url?: string };

/** A client that continues to send after the server has closed its side. */
const connectTo = (url: string) =>
  net
    .connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    .on('error', () => {});

const closeOf = (socket: net.Socket) => new Promise((resolve) => socket.once('close', resolve));

const headersOf = ({ type, token = caller.token }: Case) => ({
  'content-type': type,
  ...(token && { authorization: `Bearer ${token}` }),
});

type Task = Case & { bytes: number; attempts: number; [option: string]: unknown };

/** Runs a client in a child process, which sends and receives at its own pace. Returns its statuses or errors by task. */
async function runClient(command: string, script: string, tasks: Task[]): Promise<string[][]> {
  const input = tasks.map((task) => ({ ...task, url: task.url ?? api.url, headers: headersOf(task) }));
  const flag = command === 'python3' ? '-c' : '-e';
  const { stdout } = await promisify(execFile)(command, [flag, script, JSON.stringify(input)]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The number of bytes in ArrayBuffers after a garbage collection. */
function arrayBufferBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

const countLines = (lines: string[]) =>
  Object.fromEntries([...Map.groupBy(lines, (line) => line)].map(([line, equal]) => [line, equal.length]));

/** The address of the client in Python: the rests of bodies that the others no longer send take turns at their own. */
const pythonAddress = '127.0.0.2';
for (const localAddress of ['127.0.0.1', pythonAddress]) {
  const [response] = await once(http.get(`${limited.url}/v1/categories`, { localAddress }), 'response');
  response.resume();
}

describe('early responses', () => {
  // One process for all cases, because starting one takes longer than most cases.
  const tasks = cases.flatMap((one) => [false, true].map((isChunked) => ({ ...one, isChunked, attempts })));
  let running: Promise<string[][]> | undefined;
  const runTasks = () => {
    running ??= runClient(process.execPath, fetchClient, tasks);
    return running;
  };

  for (const [i, { status, bytes, ...one }] of cases.entries()) {
    const what = `${one.path} with ${bytes / MiB} MiB of ${one.type}`;

    test(`fetch: ${status} for each POST ${what}, with and without Content-Length`, async () => {
      const [withLength = [], chunked = []] = (await runTasks()).slice(2 * i);
      assert.deepEqual(countLines(withLength), { [status]: attempts }, 'with a length');
      assert.deepEqual(countLines(chunked), { [status]: attempts }, 'without a length');
    });
  }

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  const skip = !hasPython && 'python3 is not installed, so its http.client cannot be tried';

  test('http.client: the response for each request, also with Connection: close', { skip }, async () => {
    const tasks = cases.flatMap((one) =>
      ['keep-alive', 'close'].map((connection) => ({ ...one, connection, attempts: 1 })),
    );
    const nameOf = ({ status, path, bytes, connection }: (typeof tasks)[number]) =>
      `${status} ${path} ${bytes / MiB} MiB, ${connection}`;
    const results = await runClient('python3', httpClient, tasks);
    assert.deepEqual(
      Object.fromEntries(tasks.map((task, i) => [nameOf(task), countLines(results[i] ?? [])])),
      Object.fromEntries(tasks.map((task) => [nameOf(task), { [task.status]: 1 }])),
    );
  });

  test('connection: stays usable after a 401 when the whole body was received', async () => {
    const socket = connectTo(api.url);
    const head =
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n';
    socket.write(head);
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /);
    socket.write(Buffer.alloc(3_000_000));
    socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 200 /);
    socket.destroy();
  });

  test('connections: 32 clients that send several bodies at once get a 401 for each, on the connections that they keep', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
    const body = Buffer.alloc(2 * MiB);
    const send = () =>
      new Promise<string>((resolve) => {
        const headers = { 'content-type': 'image/png', 'content-length': body.length };
        const sent = http.request(`${api.url}/v1/uploads`, { agent, method: 'POST', headers });
        sent.once('error', (error: NodeJS.ErrnoException) => resolve(`${error.code}`));
        sent.once('response', (response) => {
          response.resume().once('close', () => resolve(`${response.statusCode}`));
        });
        sent.end(body);
      });
    const outcomes = await Promise.all(Array.from({ length: often(96, 40) }, send));
    agent.destroy();
    assert.deepEqual(countLines(outcomes), { 401: outcomes.length });
  });

  slowTest('limits: at most 16 MiB of a body are read after the response', async () => {
    for (const closing of ['', 'Connection: close\r\n']) {
      for (const length of [
        'Content-Length: 500000000\r\n\r\n',
        'Transfer-Encoding: chunked\r\n\r\n7fffffff\r\n',
      ]) {
        const socket = connectTo(api.url);
        socket.write(
          `POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${closing}${length}`,
        );
        assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /);
        const closed = closeOf(socket);
        const chunk = Buffer.alloc(256 * 1024);
        while (!socket.destroyed && socket.bytesWritten < 64 * MiB) {
          if (!socket.write(chunk))
            await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
        }
        const taken = socket.bytesWritten - socket.writableLength;
        assert.ok(socket.destroyed, 'the connection was left open');
        // The socket buffers of both sides hold additional bytes.
        assert.ok(taken >= 16 * MiB && taken < 32 * MiB, `${taken / MiB} MiB were taken`);
      }
    }
  });

  slowTest('memory: discarded bytes of a body are not kept in memory', async () => {
    const socket = connectTo(api.url);
    socket.write(
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 500000000\r\n\r\n',
    );
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /);
    const chunk = Buffer.alloc(256 * 1024);
    const before = arrayBufferBytes();
    for (let sent = 0; sent < 15 * MiB; sent += chunk.length)
      await new Promise((resolve) => socket.write(chunk, resolve));
    // Buffers in which sockets have just read count too, until they are collected.
    const deadline = performance.now() + 5_000;
    let retained = arrayBufferBytes() - before;
    for (; retained >= 2 * MiB && performance.now() < deadline; retained = arrayBufferBytes() - before)
      await sleep(100);
    assert.ok(!socket.destroyed && retained < 5 * MiB, `${retained / MiB} MiB of 15 MiB are held`);
    socket.destroy();
  });

  slowTest('limits: the rest of a body is awaited for 10 s after the response, and no longer', async () => {
    const took = await Promise.all(
      ['', 'Connection: close\r\n'].map(async (closing) => {
        const socket = connectTo(api.url);
        socket.write(
          `POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${closing}Content-Length: 1000000\r\n\r\n`,
        );
        assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /);
        const since = performance.now();
        const closed = closeOf(socket);
        const isClosed = { yet: false };
        void closed.then(() => {
          isClosed.yet = true;
        });
        while (!isClosed.yet) {
          socket.write('x');
          await sleep(100);
        }
        socket.destroy();
        return performance.now() - since;
      }),
    );
    for (const ms of took) assert.ok(ms > 9_500, took.join(', '));
  });

  test('bytes: no second response if the rest of the body is malformed', async () => {
    const socket = connectTo(api.url);
    socket.write(
      'POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1.1 401 /);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const closed = once(socket, 'end');
    socket.write('zz\r\n');
    await closed;
    socket.destroy();
    assert.equal(received, '');
  });
});

const fetchClient = `
  const piece = new Uint8Array(64 * 1024);
  const chunked = (bytes) => {
    let remaining = bytes;
    return new ReadableStream({
      pull(controller) {
        if (remaining <= 0) return controller.close();
        controller.enqueue(piece);
        remaining -= piece.length;
      },
    });
  };
  for (const { url, path, headers, bytes, isChunked, attempts } of JSON.parse(process.argv[1])) {
    const outcomes = [];
    const whole = new Uint8Array(bytes);
    for (let i = 0; i < attempts; i++) {
      const body = isChunked ? chunked(bytes) : whole;
      try {
        const response = await fetch(url + path, { method: 'POST', headers, body, duplex: 'half' });
        await response.text();
        outcomes.push(String(response.status));
      } catch (error) {
        outcomes.push(error.cause?.code ?? String(error));
      }
    }
    console.log(JSON.stringify(outcomes));
  }
`;

const httpClient = `
import http.client, json, sys
from urllib.parse import urlsplit
for task in json.loads(sys.argv[1]):
    body = bytes(task['bytes'])
    outcomes = []
    for _ in range(task['attempts']):
        connection = http.client.HTTPConnection(urlsplit(task['url']).netloc, timeout=20, source_address=('${pythonAddress}', 0))
        try:
            connection.request('POST', task['path'], body, {**task['headers'], 'connection': task['connection']})
            response = connection.getresponse()
            response.read()
            outcomes.append(str(response.status))
        except Exception as error:
            outcomes.append(type(error).__name__)
        connection.close()
    print(json.dumps(outcomes))
`;

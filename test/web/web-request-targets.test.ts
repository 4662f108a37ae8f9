/** Request targets that are no plain path, for the API and for pages, over a raw socket. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import test, { mock } from 'node:test';
import { createEvent, createUser } from '../support/factories.ts';
import { startTestApp } from '../support/setup.ts';

const api = await startTestApp({ pages: true, env: { LOG_REQUESTS: 'on' } });
const lines: string[] = [];
for (const level of ['debug', 'info', 'warn', 'error'] as const)
  mock.method(api.app.log, level, (...fields: unknown[]) => void lines.push(`${level} ${describe(fields)}`));

/** A logged value with the text of its errors. */
const describe = (fields: unknown): string =>
  JSON.stringify(fields, (_name, value) =>
    value instanceof Error ? `${value.stack} ${JSON.stringify(value)}` : value,
  );

async function sendTarget(method: string, target: string) {
  const socket = net.connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body };
}

const query = '?q=secretquery';

test('request target: an absolute URL is the resource of its path, of the API and of pages', async () => {
  for (const [target, status, type] of [
    ['http://potluck.example/healthz', 200, 'application/json'],
    ['http://potluck.example/v1/categories', 200, 'application/json'],
    ['HTTPS://potluck.example:8443/v1/nothing', 404, 'application/problem+json'],
    [`http://potluck.example/v1/nothing${query}`, 404, 'application/problem+json'],
    [`http://potluck.example/people${query}`, 200, 'text/html'],
    [`http://user:password@potluck.example/people${query}`, 200, 'text/html'],
    [`http://potluck.example${query}`, 200, 'text/html'],
    ['http://potluck.example', 200, 'text/html'],
    [`http://potluck.example//nothing${query}`, 404, 'text/html'],
    [`/people#part${query}`, 200, 'text/html'],
  ] as const) {
    const response = await sendTarget('GET', target);
    assert.equal(response.status, status, `${target}: ${response.body}`);
    assert.ok(response.head.includes(`content-type: ${type}`), `${target}: ${response.head}`);
  }
  assert.equal((await sendTarget('POST', `http://potluck.example/language${query}`)).status, 403);
  assert.equal((await sendTarget('OPTIONS', 'http://potluck.example/v1/events')).status, 204);
});

test('request target: 400 for what is no path and no http URL; 204 for OPTIONS *', async () => {
  for (const target of [
    '*',
    `*@elsewhere.example/people${query}`,
    `ftp://potluck.example/people${query}`,
    `people${query}`,
    'potluck.example:443',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const response = await sendTarget(method, target);
      assert.equal(response.status, 400, `${method} ${target}: ${response.body}`);
      assert.equal(JSON.parse(response.body).code, 'invalid_request');
    }
  }
  assert.equal((await sendTarget('OPTIONS', '*')).status, 204);
});

test('frame: other sites may show pages below /embed and no other page, however its address is written', async () => {
  const { id } = await createEvent(api, await createUser(api));
  for (const target of [`/embed/${id}`, `/embed/${id}?a=1`, `/%65mbed/${id}`, `http://x/embed/${id}`]) {
    const { status, head } = await sendTarget('GET', target);
    assert.equal(status, 200, target);
    assert.ok(head.includes('frame-ancestors *') && !head.includes('x-frame-options'), `${target}: ${head}`);
  }
  for (const target of [
    '/embed/../sign-in',
    '/embed/%2e%2e/sign-in',
    '/embed/x/../../sign-in',
    '/embed\\..\\sign-in',
    `/embed/../e/${id}`,
    `/embed/%2E./e/${id}?a=1`,
    '/embed/',
    '//embed/',
    `//embed/${id}`,
    '/embed/../nothing',
  ]) {
    const { head } = await sendTarget('GET', target);
    assert.ok(head.includes("frame-ancestors 'none'"), `${target}: ${head}`);
    assert.ok(head.includes('x-frame-options: deny'), `${target}: ${head}`);
  }
});

test('request target: no log line has a query string, and none has the level error', () => {
  assert.ok(lines.some((line) => line.includes('"path":"/people"')));
  for (const line of lines) {
    assert.ok(!line.includes('secretquery'), line);
    assert.ok(!line.startsWith('error'), line);
  }
});

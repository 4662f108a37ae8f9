/** Requests to push services: what they contain, and addresses to which the server does not connect. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import test, { after } from 'node:test';
import { createPostPush } from '../../src/modules/notifications/push/post-push.ts';
import { localhostCertificate } from '../support/localhost-certificate.ts';

const { cert, key } = localhostCertificate;

test('push service: gets the headers and the body; the response gives status and Retry-After, and redirects are not followed', async () => {
  const requests: unknown[] = [];
  const service = createHttpsServer({ cert, key }, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method, url, headers } = request;
    requests.push([method, url, headers.ttl, body]);
    const status = Number(url?.slice(1));
    response.writeHead(status, { 'retry-after': '7', location: '/201' }).end('x'.repeat(100_000));
  });
  after(() => service.close());
  await once(service.listen(0, 'localhost'), 'listening');
  const { port } = service.address() as AddressInfo;
  const post = createPostPush({ isAllowed: () => true, ca: cert });
  for (const status of [201, 307, 503]) {
    const endpoint = `https://localhost:${port}/${status}`;
    const response = await post({ endpoint, headers: { TTL: 60 }, body: Buffer.from('sealed') });
    assert.deepEqual(response, { status, retryAfter: '7' });
  }
  assert.deepEqual(
    requests,
    [201, 307, 503].map((status) => ['POST', `/${status}`, '60', 'sealed']),
  );
  const untrusted = createPostPush({ isAllowed: () => true });
  const endpoint = `https://localhost:${port}/201`;
  await assert.rejects(untrusted({ endpoint, headers: {}, body: Buffer.from('sealed') }), /self-signed/);
});

test('push service: no connection to an address that is not public', async () => {
  const post = createPostPush();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]']) {
    const request = { endpoint: `https://${host}:${port}/`, headers: {}, body: Buffer.from('x') };
    await assert.rejects(post(request), /has no public address/, host);
  }
  assert.equal(connections, 0);
  server.close();
});

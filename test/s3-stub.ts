import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Starts a stub of S3 that stores objects by path and accepts requests with an AWS signature. */
export async function s3Stub() {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let isFailing = false;
  const server = createServer(async (request, response) => {
    const key = new URL(request.url ?? '/', 'http://s3').pathname;
    const body = Buffer.concat(await Array.fromAsync(request));
    const { authorization = '' } = request.headers;
    const isSigned = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/s3\/aws4_request, /.test(
      authorization,
    );
    requests.push(`${request.method} ${key}`);
    if (!isSigned) return void response.writeHead(403).end();
    if (isFailing) return void response.writeHead(500).end();
    if (request.method === 'PUT') objects.set(key, body);
    if (request.method === 'DELETE') objects.delete(key);
    const object = objects.get(key);
    if (request.method === 'GET' && !object) {
      response.writeHead(404, { 'content-type': 'application/xml' });
      return void response.end(
        '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>',
      );
    }
    response.writeHead(request.method === 'DELETE' ? 204 : 200);
    response.end(request.method === 'GET' ? object : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const setFailing = (failing: boolean) => {
    isFailing = failing;
  };
  return { objects, requests, setFailing, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

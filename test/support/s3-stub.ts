import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** Starts a stub of S3 that is closed after the tests of the file. */
export async function s3Stub() {
  const stub = await startS3Stub();
  after(stub.close);
  return stub;
}

/** The variables with which a server accepts the stub at this address as its bucket. */
export const s3Env = (endpoint: string) => ({
  S3_BUCKET: 'potluck',
  S3_REGION: 'eu-north-1',
  S3_ENDPOINT: endpoint,
  S3_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  S3_SECRET_ACCESS_KEY: 'secret',
});

/** Starts a stub of S3 that stores objects by path and accepts requests with an AWS signature. */
export async function startS3Stub() {
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
  const { port } = server.address() as AddressInfo;
  const setFailing = (failing: boolean) => {
    isFailing = failing;
  };
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { objects, requests, setFailing, port, url: `http://127.0.0.1:${port}`, close };
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

/** As much of S3 as is asked of it: objects by path, for whoever signs. */
export async function s3Stub() {
  const objects = new Map<string, Buffer>();
  const seen: string[] = [];
  let isAway = false;
  const server = createServer(async (request, response) => {
    const key = new URL(request.url ?? '/', 'http://s3').pathname;
    const body = Buffer.concat(await Array.fromAsync(request));
    const { authorization = '' } = request.headers;
    const isSigned = /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-north-1\/s3\/aws4_request, /.test(
      authorization,
    );
    seen.push(`${request.method} ${key}`);
    if (!isSigned) return void response.writeHead(403).end();
    if (isAway) return void response.writeHead(500).end();
    if (request.method === 'PUT') objects.set(key, body);
    if (request.method === 'DELETE') objects.delete(key);
    const found = objects.get(key);
    if (request.method === 'GET' && !found) {
      response.writeHead(404, { 'content-type': 'application/xml' });
      return void response.end(
        '<?xml version="1.0"?><Error><Code>NoSuchKey</Code><Message>none</Message></Error>',
      );
    }
    response.writeHead(request.method === 'DELETE' ? 204 : 200);
    response.end(request.method === 'GET' ? found : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const setAway = (away: boolean) => {
    isAway = away;
  };
  return { objects, seen, setAway, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

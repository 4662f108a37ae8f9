/**
 * A `node:http` server that sends the same status, headers and body in response to every request.
 * `node bench/bare.ts FILE` with `{ status, headers: [[name, value], …], body }`; prints its port.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RecordedResponse } from './run/response.ts';

const file = process.argv[2];
if (!file) throw new Error('Usage: node bench/bare.ts FILE');
const { status, headers, body } = JSON.parse(readFileSync(file, 'utf8')) as RecordedResponse;
const bytes = Buffer.from(body);
const flat = headers.flat();

const server = createServer((request, response) => {
  const respond = () => {
    response.writeHead(status, flat);
    response.end(bytes);
  };
  if (request.method === 'GET') return respond();
  // Like other servers, it reads the body before it responds.
  request.resume().on('end', respond);
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(0));

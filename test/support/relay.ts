/** A server that forwards connections to PostgreSQL, for tests that end or watch them. */
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { connectTo } from './test-database.ts';

/**
 * Forwards connections to the server of `url` while it is open.
 * @param watch called for each connection; what it returns gets the bytes that the client sends
 */
export async function openRelay(url: string, watch: () => (bytes: Buffer) => void = () => () => {}) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectTo(url);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.on('data', watch()).pipe(upstream).pipe(client);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const { port } = address;
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return { address: `127.0.0.1:${port}`, open: () => listen(port), close };
}

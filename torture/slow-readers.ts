/**
 * Opens connections from one address, requests large responses on each and reads nothing of them. Runs in a separate
 * process, so that it does not slow down the measuring one. Arguments: URL, local address, connections, ms. Prints a
 * `SlowReadersResult`. A connection that the server closes is opened again.
 */
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type SlowReadersResult = {
  /** The number of responses by status; 0 stands for a connection that was closed without a response. */
  statuses: Record<number, number>;
  /** Connections that the server closed. */
  closed: number;
};

const [url = '', localAddress = '', connections = '', ms = ''] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(url);
const until = performance.now() + Number(ms);
const result: SlowReadersResult = { statuses: {}, closed: 0 };
/** The operating system takes several megabytes of a response that is not read; several responses are more. */
const requestsPerConnection = 4;
/** In ms, between the first attempts of two connections, so that the attack is not a flood. */
const paceMs = 50;
/** In ms, after a refusal: the server sends `Retry-After: 15`. */
const retryMs = 15_000;
const sockets = new Set<net.Socket>();

/** Reads the status of the response, and no more. Resolves when the connection has closed. */
async function readSlowly(): Promise<void> {
  const socket = net.connect({ host: hostname, port: Number(port), localAddress });
  sockets.add(socket);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(requestsPerConnection));
  const begun = new Promise((resolve) => socket.once('readable', resolve));
  await Promise.race([begun, closed]);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(`${socket.read(12) ?? ''}`)?.[1] ?? 0);
  result.statuses[status] = (result.statuses[status] ?? 0) + 1;
  if (status === 200) await holdUntilReset(socket);
  else await sleep(retryMs, undefined, { ref: false });
  socket.destroy();
  sockets.delete(socket);
}

/**
 * Waits until the server has closed the connection. A socket that does not read does not see the end of its connection,
 * so it writes empty lines, which the server ignores between requests, and which a closed connection answers with a
 * reset.
 */
async function holdUntilReset(socket: net.Socket): Promise<void> {
  while (performance.now() < until && !socket.destroyed) {
    await sleep(1_000);
    if (!socket.destroyed && socket.errored === null) socket.write('\r\n');
  }
  if (performance.now() < until) result.closed++;
}

async function hold(): Promise<void> {
  while (performance.now() < until) {
    await readSlowly();
    await sleep(100);
  }
}

const holding = Array.from({ length: Number(connections) }, async (_, i) => {
  await sleep(i * paceMs);
  await hold();
});
await Promise.race([Promise.all(holding), sleep(Number(ms) + 1_000)]);
for (const socket of sockets) socket.destroy();
console.log(JSON.stringify(result));
process.exit(0);

/** Bytes as they are over a connection of their own, and every answer that comes back over it. */
import net from 'node:net';

export type RawAnswer = {
  /** In the order in which they came; empty when the connection was only closed. */
  statuses: number[];
  text: string;
  ms: number;
};

/** In ms: longer than any deadline of the server. */
const patience = 15_000;

/** Reads until the server closes; a server that does not is asked to by the `Connection: close` of whoever sends. */
export function sendRaw(server: { url: string }, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const { hostname, port } = new URL(server.url);
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(port), hostname);
    const late = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open after ${patience} ms: ${bytes.toString('latin1').slice(0, 200)}`));
    }, patience);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => void chunks.push(Buffer.from(chunk)));
    // A server that refuses before it has read everything resets the connection; what it said before counts.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(late);
      const text = Buffer.concat(chunks).toString();
      // A body never begins a line with this: it is JSON on one line.
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z][\w' -]*\r\n/g)].map((found) =>
        Number(found[1]),
      );
      resolve({ statuses, text, ms: performance.now() - since });
    });
  });
}

/** Sends unmodified bytes over a new connection and reads all responses. */
import net from 'node:net';

export type RawResponse = {
  /** In order of arrival; empty if the server closed the connection without a response. */
  statuses: number[];
  text: string;
  ms: number;
};

/** Longer than any timeout of the server. */
const timeoutMs = 15_000;

/** Reads until the server closes the connection, so the request should contain `Connection: close`. */
export function sendRaw(server: { url: string }, bytes: string | Buffer): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const { hostname, port } = new URL(server.url);
    const chunks: Buffer[] = [];
    const socket = net.connect(Number(port), hostname);
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new Error(`still open after ${timeoutMs} ms: ${bytes.toString('latin1').slice(0, 200)}`));
    }, timeoutMs);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk) => void chunks.push(Buffer.from(chunk)));
    // A server that refuses a request before reading all of it resets the connection after its response.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      const text = Buffer.concat(chunks).toString();
      // A body never contains a status line after CRLF: it is JSON on one line.
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z][\w' -]*\r\n/g)].map((found) =>
        Number(found[1]),
      );
      resolve({ statuses, text, ms: performance.now() - since });
    });
  });
}

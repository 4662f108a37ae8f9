/**
 * Sends requests without extra headers and returns encoded bodies, unlike `fetch`. In most test files `fetch`
 * would take a tenth of the CPU time, and the test run is bound by its CPU time.
 */
import type { Agent, IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import zlib from 'node:zlib';

/** `import` would read all exports. For one of them, `WebSocket`, Node.js loads `fetch`. */
export const http = process.getBuiltinModule('node:http');

export type WireResponse = { status: number; headers: IncomingHttpHeaders; bytes: Buffer };

type Sent = { method: string; headers: OutgoingHttpHeaders; body?: string | Buffer | undefined };

const connections = new http.Agent({ keepAlive: true });

/** Sends a request on a connection that later requests use again. The caller reads the body. */
export function send(
  url: string,
  { method, headers, body }: Sent,
  agent: Agent | false = connections,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Node.js sets the length for all methods except DELETE.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  http
    .request(url, { method, headers: { ...length, ...headers }, agent }, resolve)
    .on('error', reject)
    .end(body);
  return promise;
}

/** Sends a request on a connection of its own. */
export async function request(
  url: string,
  headers: OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<WireResponse> {
  return readBytes(await send(url, { method, headers }, false));
}

export async function readBytes(response: IncomingMessage): Promise<WireResponse> {
  const parts = await Array.fromAsync(response as AsyncIterable<Buffer>);
  return { status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) };
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: zlib.zstdDecompressSync,
  identity: (bytes) => bytes,
};

/** Decodes the body by the Content-Encoding of the response. */
export function decoded({ headers, bytes }: WireResponse): string {
  // The response to a HEAD request has the header, and no body.
  const encoding = (bytes.length > 0 && headers['content-encoding']) || 'identity';
  const decode = decoders[encoding];
  if (!decode) throw new Error(`unknown encoding ${encoding}`);
  return decode(bytes).toString();
}

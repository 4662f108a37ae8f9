/** An HTTP client for thousands of requests over persistent connections. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Server } from '../test/support/processes.ts';

export { runConcurrently } from '../test/support/run-concurrently.ts';

export type Call = {
  token?: string;
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** Default: the servers in rotation. */
  server?: Pick<Server, 'url'>;
};

export type ClientResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: the type of the body depends on the route.
  body: any;
  ms: number;
};

export type Client = {
  /** @throws when the connection breaks before the response is complete */
  send(method: string, path: string, call?: Call): Promise<ClientResponse>;
  close(): void;
};

/** The client gives up on a response after this time, and the program fails. */
const timeoutMs = 30_000;

/** @param localAddress the address of the client; default: the system chooses it */
export function openClient(servers: () => Pick<Server, 'url'>[], localAddress?: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 256, ...(localAddress && { localAddress }) });
  let turn = 0;
  const next = () => {
    const all = servers();
    const server = all[turn++ % all.length];
    if (!server) throw new Error('no server is running');
    return server;
  };
  const send: Client['send'] = async (
    method,
    path,
    { token, body, raw, headers = {}, server = next() } = {},
  ) =>
    new Promise((resolve, reject) => {
      const since = performance.now();
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const sent = request(server.url + path, {
        agent,
        method,
        timeout: timeoutMs,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      });
      sent.once('timeout', () =>
        sent.destroy(new Error(`${method} ${path} got no response within ${timeoutMs} ms`)),
      );
      sent.once('error', (error) => {
        const ms = Math.round(performance.now() - since);
        reject(
          new Error(`${method} ${server.url}${path} failed after ${ms} ms: ${error.message}`, {
            cause: error,
          }),
        );
      });
      sent.once('response', (response) => {
        readBody(response).then((content) => {
          const isJson = `${response.headers['content-type']}`.includes('json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(content) : content,
            ms: performance.now() - since,
          });
        }, reject);
      });
      sent.end(payload);
    });
  return { send, close: () => agent.destroy() };
}

/** Reads the whole body, or only the first chunk of an event stream, which has no end. */
async function readBody(response: IncomingMessage): Promise<string> {
  if (!`${response.headers['content-type']}`.startsWith('text/event-stream')) return text(response);
  for await (const chunk of response) return `${chunk}`;
  return '';
}

/** The value below which the given share (0 to 1) of the values lies. */
export function quantile(values: number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(Math.floor(share * ordered.length), ordered.length - 1)] ?? Number.NaN;
}

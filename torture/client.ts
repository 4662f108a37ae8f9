/** Requests by the thousand, over connections that are kept, and what came back. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Server } from '../test/processes.ts';

export type Call = {
  token?: string;
  body?: unknown;
  /** Sent as it is, in place of `body`. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
  /** Default: the servers in turn. */
  server?: Pick<Server, 'url'>;
};

export type ClientResponse = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer is read by whoever knows the route.
  body: any;
  ms: number;
};

export type Client = {
  /** @throws when the connection breaks before the answer is whole */
  ask(method: string, path: string, call?: Call): Promise<ClientResponse>;
  close(): void;
};

/** In ms: whoever has not answered by then has failed, whatever the torture. */
const patience = 30_000;

export function openClient(servers: () => Pick<Server, 'url'>[]): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  let turn = 0;
  const next = () => {
    const all = servers();
    const server = all[turn++ % all.length];
    if (!server) throw new Error('no server runs');
    return server;
  };
  const ask: Client['ask'] = (method, path, { token, body, raw, headers = {}, server = next() } = {}) =>
    new Promise((resolve, reject) => {
      const since = performance.now();
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const sent = request(server.url + path, {
        agent,
        method,
        timeout: patience,
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
        sent.destroy(new Error(`${method} ${path} was not answered in ${patience} ms`)),
      );
      sent.once('error', (error) => {
        const ms = Math.round(performance.now() - since);
        reject(
          new Error(`${method} ${server.url}${path} broke off after ${ms} ms: ${error.message}`, {
            cause: error,
          }),
        );
      });
      sent.once('response', (response) => {
        beginningOrAll(response).then((answer) => {
          const isJson = `${response.headers['content-type']}`.includes('json');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: isJson ? JSON.parse(answer) : answer,
            ms: performance.now() - since,
          });
        }, reject);
      });
      sent.end(payload);
    });
  return { ask, close: () => agent.destroy() };
}

/** A stream ends when nobody listens any more. */
async function beginningOrAll(response: IncomingMessage): Promise<string> {
  if (!`${response.headers['content-type']}`.startsWith('text/event-stream')) return text(response);
  for await (const piece of response) return `${piece}`;
  return '';
}

/** Runs `work` for each number below `count`, at most `atOnce` at a time; gives what each gave, in order. */
export async function each<T>(count: number, atOnce: number, work: (i: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const i = next++;
      results[i] = await work(i);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker));
  return results;
}

/** The value below which a share (from 0 to 1) of the values lies. */
export function quantile(values: number[], share: number): number {
  const ordered = values.toSorted((a, b) => a - b);
  return ordered[Math.min(Math.floor(share * ordered.length), ordered.length - 1)] ?? Number.NaN;
}

/**
 * Compresses the responses of routes that declare it, and no others. So no response that contains a token, a
 * code or another secret is compressed together with content that the client chose (BREACH).
 */
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import { addVary } from './conditional.ts';

/**
 * The minimum sizes of compressed responses, in bytes. Compressing smaller ones takes longer than it saves. `text`: JSON
 * and calendars.
 */
const minBytesOf = { text: 8 * 1024, page: 1024 };
export type Compressed = keyof typeof minBytesOf;

const options: FastifyCompressOptions = {
  global: false,
  encodings: ['zstd', 'br', 'gzip'],
  // Responses are compressed for each request, so speed counts more than the last few percent of size.
  zlibOptions: { level: 4 },
};

const minBytesFor = ({ config }: RouteOptions) => config?.compressed && minBytesOf[config.compressed];

export async function registerCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const minBytes = minBytesFor(route);
    if (minBytes !== undefined && route.method !== 'GET' && route.method !== 'HEAD')
      throw new Error(`${route.method} ${route.url} must not be compressed`);
    // With `false`, the plugin adds no hook to the route.
    route.compress = minBytes === undefined ? false : { ...options, threshold: minBytes };
  });
  await app.register(compress, options);

  // Runs after the onRoute hook of the plugin, so the plugin's onSend hook is the last one.
  app.addHook('onRoute', (route) => {
    const minBytes = minBytesFor(route);
    if (minBytes === undefined) return;
    const hooks = [route.onSend ?? []].flat();
    const compressBody = hooks.pop() as onSendHookHandler | undefined;
    if (!compressBody) throw new Error('@fastify/compress added no onSend hook');
    const compressLarge: onSendHookHandler = function (request, reply, payload, done) {
      // Most responses are small and skip the plugin, which parses the headers.
      if (!isLarge(payload, minBytes)) return done(null, payload);
      // Uncompressed responses need `Vary` too. The plugin would add the header in another spelling.
      if (!`${reply.getHeader('vary')}`.includes('Accept-Encoding')) addVary(reply, 'Accept-Encoding');
      const vary = reply.getHeader('vary');
      compressBody.call(this, request, reply, payload, (error?: Error | null, body?: unknown) => {
        reply.header('vary', vary);
        if (error) done(error);
        else done(null, body ?? payload);
      });
    };
    // Fastify's last hook of a HEAD route drops the body, and leaves out the length of one that is compressed.
    route.onSend = route.method === 'HEAD' ? [compressLarge, ...hooks] : [...hooks, compressLarge];
  });
}

/** Compares the number of characters of a text, which is at most the number of its bytes. */
const isLarge = (payload: unknown, minBytes: number): boolean =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= minBytes;

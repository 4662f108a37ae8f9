/**
 * Compressed responses. A route declares that its responses may be compressed; all others never are. So no response with
 * a token, a code or another secret is ever compressed together with content that its sender chose (BREACH).
 */
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import { addVary } from './conditional.ts';

/** In bytes, the `compressFrom` of JSON and calendars. Smaller bodies cost more time to compress than they save on the line. */
export const largeText = 8 * 1024;
/** In bytes, the `compressFrom` of pages. */
export const largePage = 1024;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In bytes: responses of this size and above are compressed. Absent: no response is. */
    compressFrom?: number;
  }
}

const options: FastifyCompressOptions = {
  global: false,
  encodings: ['zstd', 'br', 'gzip'],
  // Responses are compressed for each request, so speed counts more than the last few percent of size.
  zlibOptions: { level: 4 },
};

export async function registerCompression(app: FastifyInstance): Promise<void> {
  app.addHook('onRoute', (route) => {
    const from = route.config?.compressFrom;
    if (from !== undefined && route.method !== 'GET' && route.method !== 'HEAD')
      throw new Error(`${route.method} ${route.url} must not be compressed`);
    // With `false` the plugin adds no hook at all to the route.
    route.compress = from === undefined ? false : { ...options, threshold: from };
  });
  await app.register(compress, options);

  // Runs after the plugin's own onRoute hook, whose onSend hook is then the last one.
  app.addHook('onRoute', (route) => {
    const from = route.config?.compressFrom;
    if (from === undefined) return;
    const hooks = [route.onSend ?? []].flat();
    const compressBody = hooks.pop() as onSendHookHandler | undefined;
    if (!compressBody) throw new Error('@fastify/compress added no onSend hook');
    const compressLarge: onSendHookHandler = function (request, reply, payload, done) {
      // Most responses are small, and are spared the plugin's look at the headers.
      if (!isLarge(payload, from)) return done(null, payload);
      // Also on a response that stays as it is. The plugin would add its own spelling beside it.
      if (!`${reply.getHeader('vary')}`.includes('Accept-Encoding')) addVary(reply, 'Accept-Encoding');
      const vary = reply.getHeader('vary');
      compressBody.call(this, request, reply, payload, (error?: Error | null, body?: unknown) => {
        reply.header('vary', vary);
        if (error) done(error);
        else done(null, body ?? payload);
      });
    };
    route.onSend = [...hooks, compressLarge];
  });
}

/** A text has at least as many bytes as characters. */
const isLarge = (payload: unknown, from: number): boolean =>
  (typeof payload === 'string' || Buffer.isBuffer(payload)) && payload.length >= from;

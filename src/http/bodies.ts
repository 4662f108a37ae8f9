/**
 * How the bodies of responses are sent.
 *
 * Responses of routes that declare it are compressed, and no others. So no response that contains a token, a code or another
 * secret is compressed together with content that the client chose (BREACH).
 *
 * Large bodies are sent in pieces, the next one when the connection has taken the one before. So `bytesWritten` and
 * `writableLength` of the connection show how far a slow client has read (admission.ts): of a body that is written at once,
 * both change only with its last byte.
 */
import { Readable } from 'node:stream';
import compress, { type FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance, onSendHookHandler, RouteOptions } from 'fastify';
import { takeCompressHook } from '#patches';
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

/** Must be registered after all other hooks that change bodies. */
export async function registerBodies(app: FastifyInstance): Promise<void> {
  await registerCompression(app);
  app.addHook('onRoute', (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), sendInPieces];
  });
}

async function registerCompression(app: FastifyInstance): Promise<void> {
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
    const compressBody = takeCompressHook(route);
    const hooks = [route.onSend ?? []].flat();
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

/**
 * In bytes, or in characters of a text. A client that reads less than one piece in the time limit for stalled responses
 * loses its connection. Smaller pieces would slow down the responses to all other clients.
 */
export const pieceLength = 128 * 1024;

export function* piecesOf(body: string | Buffer): Generator<string | Buffer> {
  for (let start = 0; start < body.length; ) {
    const end = endOfPiece(body, start);
    yield typeof body === 'string' ? body.slice(start, end) : body.subarray(start, end);
    start = end;
  }
}

/** A text is not divided within a character of two code units. */
function endOfPiece(body: string | Buffer, start: number): number {
  const end = start + pieceLength;
  if (typeof body !== 'string' || end >= body.length) return end;
  const lastUnit = body.charCodeAt(end - 1);
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? end - 1 : end;
}

const sendInPieces: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const isBody = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (!isBody || payload.length <= pieceLength || request.method === 'HEAD') return done(null, payload);
  reply.header('content-length', Buffer.byteLength(payload));
  done(null, Readable.from(piecesOf(payload)));
};

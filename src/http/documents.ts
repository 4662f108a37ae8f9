/**
 * Documents: responses that hardly ever change and are the same for every client. Each is compressed once, at its first
 * use, rather than for every request: compressing 4 MB per request would let a few clients occupy the server.
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import negotiator from '@fastify/accept-negotiator';
import type { FastifyInstance, onSendAsyncHookHandler } from 'fastify';
import { addVary, contentHash, emptyBody, isNotModified, weakTag } from './conditional.ts';

const urls = new Set(['/openapi.json', '/docs/', '/docs/errors', '/docs/js/scalar.js']);
/** Their addresses stay the same from version to version, so a cache asks each time; the answer is nearly always a 304. */
const cacheControl = 'public, no-cache';

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
/** In a thread of its own: 4 MB take about 0.2 s. A higher quality takes twice as long for 2 % less. */
const encoders: Record<string, (text: string) => Promise<Buffer>> = {
  br: (text) =>
    promisify(zlib.brotliCompress)(text, {
      params: { [BROTLI_PARAM_QUALITY]: 6, [BROTLI_PARAM_SIZE_HINT]: text.length },
    }),
  gzip: (text) => promisify(zlib.gzip)(text, { level: 9 }),
};
const encodings = [...Object.keys(encoders), 'identity'];

type Document = { text: string; etag: string; encoded: Map<string, Promise<Buffer>> };

export function registerDocuments(app: FastifyInstance): void {
  // GET and HEAD are two routes that share what was compressed.
  const documents = new Map<string, Document>();

  app.addHook('onRoute', (route) => {
    if (!urls.has(route.url)) return;
    const sendDocument: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
      if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
      const document = find(route.url, payload);
      addVary(reply, 'Accept-Encoding');
      reply.header('etag', document.etag).header('cache-control', cacheControl);
      if (isNotModified(request, document.etag)) {
        reply.code(304).removeHeader('content-type');
        return emptyBody(request) ?? null;
      }
      const encoding = negotiator.negotiate(accepted(request.headers['accept-encoding']), encodings);
      if (!encoding || encoding === 'identity') return payload;
      reply.header('content-encoding', encoding).removeHeader('content-length');
      return encode(document, encoding);
    };
    // First, so that Fastify's HEAD handler measures what GET would send.
    route.onSend = [sendDocument, ...[route.onSend ?? []].flat()];
  });

  const find = (url: string, text: string): Document => {
    const known = documents.get(url);
    if (known?.text === text) return known;
    const document = { text, etag: weakTag(contentHash(text)), encoded: new Map() };
    documents.set(url, document);
    return document;
  };
}

function encode({ text, encoded }: Document, encoding: string): Promise<Buffer> {
  const known = encoded.get(encoding);
  if (known) return known;
  const compress = encoders[encoding];
  if (!compress) throw new Error(`no encoder for ${encoding}`);
  const made = compress(text);
  encoded.set(encoding, made);
  made.catch(() => encoded.delete(encoding));
  return made;
}

/** Without the header any encoding is allowed, but only a client that names one can be relied on to decode it. */
const accepted = (header = 'identity'): string => header.toLowerCase();

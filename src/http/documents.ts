/**
 * Documents are responses that rarely change and are the same for every client. Each document is compressed
 * once, at its first use: compressing 4 MB for every request would let a few clients occupy the server.
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import negotiator from '@fastify/accept-negotiator';
import type { FastifyInstance, FastifyRequest, onSendAsyncHookHandler } from 'fastify';
import { addVary, contentHash, emptyBody, isNotModified, weakTag } from './conditional.ts';

const documentUrls = new Set(['/openapi.json', '/docs/', '/docs/errors', '/docs/js/scalar.js']);
/** The URLs do not contain a version, so caches must revalidate; the response is nearly always a 304. */
const cacheControl = 'public, no-cache';

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
/** zlib runs in a thread pool. 4 MB take about 0.2 s; a higher quality takes twice as long and saves 2 %. */
const encoders: Record<string, (content: string | Buffer) => Promise<Buffer>> = {
  br: (content) =>
    promisify(zlib.brotliCompress)(content, {
      params: { [BROTLI_PARAM_QUALITY]: 6, [BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content) => promisify(zlib.gzip)(content, { level: 9 }),
};
const offeredEncodings = [...Object.keys(encoders), 'identity'];

type Document = { text: string; body: Buffer; etag: string; encodings: Map<string, Promise<Buffer>> };

export function registerDocuments(app: FastifyInstance): void {
  // The GET and the HEAD route of a document share the compressed forms.
  const documents = new Map<string, Document>();

  app.addHook('onRoute', (route) => {
    if (!documentUrls.has(route.url)) return;
    const sendDocument: onSendAsyncHookHandler<unknown> = async (request, reply, payload) => {
      if (reply.statusCode !== 200 || typeof payload !== 'string') return payload;
      const document = findDocument(route.url, payload);
      addVary(reply, 'Accept-Encoding');
      reply.header('etag', document.etag).header('cache-control', cacheControl);
      if (isNotModified(request, document.etag)) {
        reply.code(304).removeHeader('content-type');
        return emptyBody(request) ?? null;
      }
      const encoding = negotiateEncoding(request);
      if (!encoding) return document.body;
      reply.header('content-encoding', encoding).removeHeader('content-length');
      return compressOnce(document, encoding);
    };
    // Runs first, so that Fastify's HEAD handler sets the content length of the GET response.
    route.onSend = [sendDocument, ...[route.onSend ?? []].flat()];
  });

  const findDocument = (url: string, text: string): Document => {
    const cached = documents.get(url);
    if (cached?.text === text) return cached;
    const document = {
      text,
      body: Buffer.from(text),
      etag: weakTag(contentHash(text)),
      encodings: new Map(),
    };
    documents.set(url, document);
    return document;
  };
}

/** The encoding of a compressed response to the request; null for an uncompressed one. */
export function negotiateEncoding({ headers }: FastifyRequest): string | null {
  const encoding = negotiator.negotiate(acceptEncoding(headers['accept-encoding']), offeredEncodings);
  return encoding && encoding !== 'identity' ? encoding : null;
}

/** Compresses content at the first use of an encoding, and keeps the result in `encodings`. */
export function compressOnce(
  { body, encodings }: { body: string | Buffer; encodings: Map<string, Promise<Buffer>> },
  encoding: string,
): Promise<Buffer> {
  return encodings.getOrInsertComputed(encoding, () => {
    const compress = encoders[encoding];
    if (!compress) throw new Error(`no encoder for ${encoding}`);
    const encoded = compress(body);
    encoded.catch(() => encodings.delete(encoding));
    return encoded;
  });
}

/**
 * Without the header any encoding is allowed, but only a client that names one can be relied on to decode it.
 */
const acceptEncoding = (header = 'identity'): string => header.toLowerCase();

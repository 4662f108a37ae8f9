/**
 * Documents are responses that are the same for many clients. Each is compressed once, at its first use: compressing 4 MB for
 * every request would let a few clients occupy the server.
 */
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import negotiator from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addVary, contentHash, isNotModified, sendNotModified, weakTag } from './conditional.ts';

const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = zlib.constants;
/** zlib runs in a thread pool. 4 MB take about 0.2 s; a higher quality takes twice as long and saves 2 %. */
const encoders: Record<string, (content: Buffer) => Promise<Buffer>> = {
  br: (content) =>
    promisify(zlib.brotliCompress)(content, {
      params: { [BROTLI_PARAM_QUALITY]: 6, [BROTLI_PARAM_SIZE_HINT]: content.length },
    }),
  gzip: (content) => promisify(zlib.gzip)(content, { level: 9 }),
};
const offeredEncodings = [...Object.keys(encoders), 'identity'];

/** `encodings`: the compressed forms of the body. */
export type Document = { etag: string; body: Buffer; encodings: Map<string, Promise<Buffer>> };

export const createDocument = (content: string | Buffer): Document => ({
  etag: weakTag(contentHash(content)),
  body: Buffer.from(content),
  encodings: new Map(),
});

/**
 * Sends a document, or a 304.
 * @param type the media type, unless the reply has it
 */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { etag, body, encodings }: Document,
  type?: string,
): Promise<FastifyReply> {
  addVary(reply, 'Accept-Encoding');
  reply.header('etag', etag);
  if (reply.statusCode === 200 && isNotModified(request, etag)) return sendNotModified(reply);
  if (type) reply.type(type);
  // Without the header any encoding is allowed, but only a client that names one can be relied on to decode it.
  const { 'accept-encoding': accepted = 'identity' } = request.headers;
  const encoding = negotiator.negotiate(accepted.toLowerCase(), offeredEncodings);
  const compress = encoders[encoding ?? 'identity'];
  if (!encoding || !compress) return reply.send(body);
  const encoded = encodings.getOrInsertComputed(encoding, () => compress(body));
  encoded.catch(() => encodings.delete(encoding));
  // The header is set when the content is there: a timeout before that sends a problem, which is not encoded.
  const content = await encoded;
  return reply.header('content-encoding', encoding).send(content);
}

/** Sends a document whose address has no version, so caches must revalidate; the response is nearly always a 304. */
export const sendUnversioned = (
  request: FastifyRequest,
  reply: FastifyReply,
  document: Document,
  type: string,
): Promise<FastifyReply> =>
  sendDocument(request, reply.header('cache-control', 'public, no-cache'), document, type);

/** Conditional requests (RFC 9110, section 13): the one place that decides between a 200 and a 304. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The tags of an `If-None-Match` list. The part in quotes alone counts: the comparison is weak. */
const entityTags = /(?:W\/)?("[!#-~\x80-\xff]*")/g;

/** A short hash of a response's content, for the inside of an ETag. */
export const contentHash = (content: string): string => hash('sha256', content, 'base64url').slice(0, 27);

/**
 * Weak, since the same content is also sent compressed, and a strong ETag would name one of these forms alone.
 * @param content without a `"`
 */
export const weakTag = (content: string): string => `W/"${content}"`;

/** Whether the client has the current version already, for a GET or HEAD of something that exists. */
export function isNotModified({ headers }: FastifyRequest, etag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag;
  for (const [, listed] of header.matchAll(entityTags)) if (listed === opaque) return true;
  return false;
}

export type NotModifiedResponse = { statusCode: 304; headers?: Record<string, string> };

/**
 * The 304 of an endpoint.
 * @param headers `ETag`, `Cache-Control` and `Vary` of the 200, as far as the reply does not have them yet
 */
export const notModified = (headers?: Record<string, string>): NotModifiedResponse => ({
  statusCode: 304,
  ...(headers && { headers }),
});

/** Of the headers of the 200, the reply must have `ETag`, `Cache-Control` and `Vary` by now. */
export const sendNotModified = (reply: FastifyReply) =>
  reply.code(304).send(emptyBody(reply.request) as never);

/** No body. Fastify's own HEAD handler would declare `Content-Length: 0` for undefined, and for a stream declares nothing. */
export const emptyBody = ({ method }: FastifyRequest): Readable | undefined =>
  method === 'HEAD' ? Readable.from([]) : undefined;

/** Adds the names of request headers to `Vary`. */
export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${before}, ${names}`);
}

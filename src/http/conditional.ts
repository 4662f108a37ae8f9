/** Conditional requests (RFC 9110, section 13): decides between a 200 and a 304, and refuses changes with a 412. */
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../lib/errors.ts';

/** The tags of an `If-None-Match` list. The comparison is weak: it ignores `W/`. */
const entityTags = /(?:W\/)?("[!#-~\x80-\xff]*")/g;

/** A short hash of a response's content, for an ETag. */
export const contentHash = (content: string | Buffer): string =>
  hash('sha256', content, 'base64url').slice(0, 27);

/**
 * A weak ETag. A strong ETag would have to differ between the compressed and the uncompressed form of the
 * content.
 * @param content without a `"`
 */
export const weakTag = (content: string): string => `W/"${content}"`;

/**
 * Whether `If-None-Match` has the ETag of the current version. Only for GET and HEAD of an existing resource.
 */
export function isNotModified({ headers }: FastifyRequest, etag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = etag.startsWith('W/') ? etag.slice(2) : etag;
  for (const [, listed] of header.matchAll(entityTags)) if (listed === opaque) return true;
  return false;
}

/** In characters: 96 bits. */
const versionLength = 16;

/** The version of a record: a hash of the fields that a PATCH changes. An ETag of the record begins with it. */
export const versionOf = (fields: unknown): string =>
  contentHash(JSON.stringify(fields)).slice(0, versionLength);

/**
 * Compares `If-Match` with the current version of a record, which the caller has locked. Only the version at the beginning
 * of each tag counts: the rest of an ETag also depends on counters and on the viewer, so an RSVP would refuse the
 * organizer's change.
 * @throws Problem `precondition_failed`
 */
export function requireMatch({ headers }: Pick<FastifyRequest, 'headers'>, version: string): void {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return;
  for (const [, listed = ''] of header.matchAll(entityTags))
    if (listed.slice(1, -1).slice(0, versionLength) === version) return;
  throw new Problem('precondition_failed');
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

/** Sends a 304. The reply must already have the headers `ETag`, `Cache-Control` and `Vary` of the 200. */
export const sendNotModified = (reply: FastifyReply) =>
  reply.code(304).send(emptyBody(reply.request) as never);

/**
 * An empty body. For HEAD it is an empty stream: Fastify sends `Content-Length: 0` for an undefined body, and
 * no `Content-Length` for a stream.
 */
export const emptyBody = ({ method }: FastifyRequest): Readable | undefined =>
  method === 'HEAD' ? Readable.from([]) : undefined;

/**
 * The request headers that determine the caller, for `Vary`. `Sec-Fetch-Site` decides whether a cookie is read
 * (same-origin.ts).
 */
export const callerHeaders = 'Authorization, Cookie, Sec-Fetch-Site';

/** The headers of a compressed response whose content depends on the caller and has no version. */
export const contentHeaders = (content: string | Buffer): Record<string, string> => ({
  etag: weakTag(contentHash(content)),
  vary: `${callerHeaders}, Accept-Encoding`,
  'cache-control': 'private, no-cache',
});

/** Adds the names of request headers to `Vary`. */
export function addVary(reply: FastifyReply, names: string): void {
  const before = reply.getHeader('vary');
  reply.header('vary', before === undefined ? names : `${before}, ${names}`);
}

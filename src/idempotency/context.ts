/**
 * `Idempotency-Key`: the key of a request and the serialization of its response. Decision 19 describes the
 * header.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyedHash } from '#base';
import type { Caller } from '../identity/caller.ts';
import type { IdempotencyKey } from './stored-responses.ts';

export type IdempotencyContext = {
  /**
   * Returns the key of the request; null without the header or without a caller.
   * @param body identifies the content of the request. Default: the parsed body; for a body that is not JSON,
   *   pass its hash
   */
  readKey(body?: unknown): IdempotencyKey | null;
  /** Whether the request has a key, whoever it belongs to. */
  hasKey: boolean;
  /**
   * As `readKey`, of a person whom the request names in another way than by a token.
   * @param scopeId within which the key of the request is unique. Default: the person
   */
  readKeyOf(userId: string, scopeId?: string): IdempotencyKey | null;
  /**
   * Serializes a response body by the schema that the endpoint declares for the status.
   * @throws Error if the endpoint declares no schema for the status
   */
  serialize(status: number, body: unknown): string;
};

export function idempotencyContext(
  request: FastifyRequest,
  reply: FastifyReply,
  caller: Caller | null,
  secretKey: string,
): IdempotencyContext {
  return {
    readKey: (body = request.body) => (caller ? readKey(request, caller.id, secretKey, body) : null),
    hasKey: typeof request.headers['idempotency-key'] === 'string',
    readKeyOf: (userId, scopeId = userId) => {
      const key = readKey(request, scopeId, secretKey, request.body);
      return key && { ...key, userId };
    },
    serialize: (status, body) => {
      const serializer = reply.getSerializationFunction(`${status}`);
      if (!serializer) throw new Error(`no response schema for status ${status}`);
      return serializer(body as Record<string, unknown>);
    },
  };
}

function readKey(
  request: FastifyRequest,
  userId: string,
  secretKey: string,
  body: unknown,
): IdempotencyKey | null {
  const header = request.headers['idempotency-key'];
  if (typeof header !== 'string') return null;
  const key = header.startsWith('"') ? header.slice(1, -1).replace(/\\(.)/g, '$1') : header;
  const mac = (purpose: string, text: string) => keyedHash(secretKey, purpose, `${userId}\0${text}`);
  return {
    userId,
    keyHash: mac('idempotency key', key),
    sealKey: mac('idempotency seal', key),
    requestHash: mac(
      'idempotency request',
      `${request.method} ${request.url}\0${JSON.stringify(sortFields(body))}`,
    ),
  };
}

/** Sorts the fields of objects at every depth: bodies that differ only in the order of fields are equal. */
function sortFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortFields);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sortFields(inner)]);
}

/** What each route says of itself: who may call it, what goes in, what comes out, and which problems it can give. */
import type { FastifyReply } from 'fastify';
import type { TSchema } from 'typebox';
import type { ProblemCode } from '../lib/errors.ts';
import { IdempotencyHeaders } from './schemas.ts';

/** `public`: the header is not read. `optional`: a token adds the caller's own fields. `required`: 401 without one. */
export type Access = 'public' | 'optional' | 'required';

type Schemas = {
  params?: TSchema;
  querystring?: TSchema;
  body?: TSchema;
  headers?: TSchema;
  response: Record<number, TSchema>;
};

type Declaration<S extends Schemas> = S & {
  /** The operation's id in the OpenAPI document. */
  name: string;
  access: Access;
  tag: string;
  summary: string;
  description?: string;
  /** The codes that this route can give beyond those that every route of its kind can. */
  problems?: ProblemCode[];
  /**
   * The route's one statement decides over the caller too (`heldCallers` in db/transaction.ts), by their session, token
   * and role as they are then; so a token that was good when the server last looked may come this far.
   */
  verifiesCaller?: true;
  /** Takes an `Idempotency-Key`, and does under it what it does once (idempotency.ts). */
  idempotent?: true;
  /** For what may take longer than the five seconds of all others. */
  timeoutMs?: number;
  /** The response has an ETag, and `If-None-Match` makes it a 304 (conditional.ts). */
  conditional?: true;
  /** In bytes: larger responses are compressed (compression.ts). Only for responses without any secret. */
  compressFrom?: number;
  /** The media types of a body that is no JSON; the route's scope has parsers for them. */
  bodyTypes?: readonly string[];
};

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    verifiesCaller?: true;
    idempotent?: true;
    conditional?: true;
    problems?: ProblemCode[];
    bodyTypes?: readonly string[];
  }
}

/** Spread into the options of a Fastify route; `viewer.ts` refuses a route under /v1 that was made without it. */
export function route<S extends Schemas>(declaration: Declaration<S>) {
  const {
    name,
    access,
    tag,
    summary,
    description,
    problems = [],
    verifiesCaller,
    idempotent,
    timeoutMs,
    conditional,
    compressFrom,
    bodyTypes,
    ...schemas
  } = declaration;
  const common: ProblemCode[] = ['invalid_request', 'too_many_requests', 'internal_error', 'unavailable'];
  if (access !== 'public') common.push('token_invalid');
  if (access === 'required') common.push('token_missing');
  if (idempotent) common.push('idempotency_key_reused', 'idempotency_key_in_use');
  return {
    config: {
      access,
      problems: [...common, ...problems],
      ...(verifiesCaller && { verifiesCaller }),
      ...(idempotent && { idempotent }),
      ...(timeoutMs && { timeoutMs }),
      ...(conditional && { conditional }),
      ...(compressFrom !== undefined && { compressFrom }),
      ...(bodyTypes && { bodyTypes }),
    },
    schema: {
      ...(schemas as unknown as S),
      ...(idempotent && { headers: IdempotencyHeaders }),
      operationId: name,
      tags: [tag],
      summary,
      ...(description && { description }),
    },
  };
}

/** Sends JSON that is serialized already, by the schema of the answer; nothing to whoever has had a 503 by now. */
export const sendJson = (reply: FastifyReply, json: Buffer | string) =>
  // The types only know what goes into a serializer.
  reply.sent ? reply : reply.type('application/json; charset=utf-8').send(json as never);

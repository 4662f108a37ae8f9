/**
 * Declares an HTTP endpoint: one object holds what clients, validation, documentation and the handler need.
 */
import type { FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { ChangeLog } from '#fresh-records';
import { type IdempotencyContext, idempotencyContext } from '../idempotency/context.ts';
import type { Caller } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import type { ProblemCode } from '../lib/problem-catalogue.ts';
import type { App } from './app.ts';
import type { Compressed } from './compression.ts';
import {
  addVary,
  contentHeaders,
  isNotModified,
  type NotModifiedResponse,
  sendNotModified,
} from './conditional.ts';
import type { TurnKind } from './limits/turns.ts';
import { IdempotencyHeaders } from './schemas.ts';
import { serializerOf } from './serialization.ts';

/**
 * `public`: no token is read. `optional`: a token adds the caller's own fields. `required`: 401 without a
 * token. `admin`: also 403 without the role that the caller had when the request was authenticated. The cookie of
 * a browser session counts as a token (authenticate.ts).
 */
type Access = 'public' | 'optional' | 'required' | 'admin';

type Optional = TSchema | undefined;
type ValueOf<S extends Optional> = S extends TSchema ? Static<S> : undefined;
type CallerOf<A extends Access> = A extends 'public' ? null : A extends 'optional' ? Caller | null : Caller;

type EndpointRequest<A extends Access, P extends Optional, Q extends Optional, B extends Optional> = {
  caller: CallerOf<A>;
  params: ValueOf<P>;
  query: ValueOf<Q>;
  body: ValueOf<B>;
  /** For endpoints that declare `idempotent`. */
  idempotency: IdempotencyContext;
  /** Headers, address and abort state. */
  request: FastifyRequest;
  /** For streams, which write to the socket themselves and return `STREAMED`. */
  reply: FastifyReply;
};

/** `vary` is added to that of the reply. */
type Headers = Record<string, string | number | string[]>;

/** JSON that is serialized already: by an idempotent replay, or composed of serialized fragments. */
type JsonTextResponse = { statusCode: number; json: string | Buffer; headers?: Headers };
/** A response that is not JSON. */
export type ContentResponse = {
  statusCode: number;
  contentType: string;
  content: string | Buffer | NodeJS.ReadableStream;
  headers?: Headers;
};
/** The handler has taken over the connection. */
export const STREAMED = Symbol('streamed');

/** A response without a body to serialize. */
type PreparedResponse = JsonTextResponse | ContentResponse | NotModifiedResponse | typeof STREAMED;

/** `{ status, body }` for one of the declared statuses, or a response that is serialized already. */
type EndpointResponse<R extends Record<number, TSchema>> =
  | { [S in keyof R & number]: { status: S; body: Static<R[S]>; headers?: Headers } }[keyof R & number]
  | PreparedResponse;

type Metadata = {
  method: HTTPMethods;
  path: string;
  /** Default: the tag of the module. */
  tag?: string;
  summary: string;
  description?: string;
  access: Access;
  /**
   * Codes of the problems that this endpoint can respond with, beyond those of every endpoint of its kind.
   */
  problems?: readonly ProblemCode[];
  /**
   * Accepts an `Idempotency-Key`. The handler uses `runIdempotent`, or stores its response in its own batch.
   */
  idempotent?: true;
  /**
   * A POST that has the same effect however often it arrives, as a PUT has: clients repeat it after a lost response.
   */
  repeatable?: true;
  /**
   * The handler's statement itself verifies the caller's session, token and role (`lockedCallers`). The check
   * before the handler may then use a session that was cached before the request. Implies `uncached`.
   */
  verifiesCaller?: true;
  /**
   * The handler uses no records in memory that the change log keeps current, so the log is not read for it. Before all
   * other handlers, the log is read: what they find in memory is never older than the request.
   */
  uncached?: true;
  /**
   * Serves the sessions of suspended accounts too (decision 35). All other endpoints refuse their tokens with
   * a 403.
   */
  allowsSuspended?: true;
  /**
   * Refuses requests that no page of this server sent, with a 403 (same-origin.ts): the response sets the
   * cookie of a browser session.
   */
  sameOriginOnly?: true;
  /** Signs out: removes the cookie of a browser session also if the session has ended already. */
  clearsCookie?: true;
  /** The kind of handlers with which this one takes turns in a client network (turns.ts). Default: `light`. */
  turns?: TurnKind;
  /** Default: 4.5 seconds; a timeout of a route is longer. */
  timeoutMs?: number;
  /**
   * The response has an ETag, and a matching `If-None-Match` turns it into a 304 (conditional.ts). `content`: the ETag is a
   * hash of the JSON, for lists, which have no version. Otherwise the handler gives it.
   */
  conditional?: true | 'content';
  /** Compares `If-Match` with the version of the record (`requireMatch`). The record of a response has an `ETag`. */
  ifMatch?: true;
  /** The headers of the 201 that say where the new record is, and which version it has. */
  createdHeaders?: readonly ('Location' | 'ETag')[];
  /** Large responses are compressed (compression.ts); without it, none are. Only for responses without any secret. */
  compressed?: Compressed;
  /** The maximum number of values in the JSON body, at any depth. Default: 500. */
  maxBodyValues?: number;
  /** Media types of a body that is not JSON. The module's `setup` adds parsers for them. */
  bodyTypes?: readonly string[];
  /** Further Fastify options of the route, such as `bodyLimit`. */
  routeOptions?: Record<string, unknown>;
};

type Declaration<
  A extends Access,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  R extends Record<number, TSchema>,
  S,
> = Metadata & {
  access: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Request headers that the endpoint reads. */
  headers?: TSchema;
  response: R;
  handler(
    request: EndpointRequest<A, P, Q, B>,
    services: S,
  ): Promise<EndpointResponse<NoInfer<R>>> | EndpointResponse<NoInfer<R>>;
};

/** An endpoint whose handler needs the services `S`. */
export type Endpoint<S = never> = Metadata & {
  params?: Optional;
  query?: Optional;
  body?: Optional;
  headers?: TSchema;
  response: Record<number, TSchema>;
  handler: (request: never, services: S) => unknown;
};

/** An endpoint of a module, which names it and gives it a tag. */
export type Operation<S> = Endpoint<S> & { operationId: string; tag: string };

export function defineEndpoint<
  const A extends Access,
  R extends Record<number, TSchema>,
  P extends Optional = undefined,
  Q extends Optional = undefined,
  B extends Optional = undefined,
  S = object,
>(declaration: Declaration<A, P, Q, B, R, S>): Endpoint<S> {
  return declaration as Endpoint<S>;
}

/** What registration itself needs of the services. */
export type RegistrationServices = {
  config: { secretKey: string };
  changeLog: Pick<ChangeLog, 'catchUp'>;
};

declare module 'fastify' {
  /** The config of an endpoint's route is its declaration. */
  interface FastifyContextConfig extends Partial<Metadata> {}
}

/** Problems of every endpoint, and of those with a caller or an idempotency key. */
function problemsOf(endpoint: Endpoint<never>): ProblemCode[] {
  const { method, access, allowsSuspended, sameOriginOnly, idempotent, ifMatch, problems = [] } = endpoint;
  const refusesCrossSite = sameOriginOnly || (method !== 'GET' && access !== 'public');
  return [
    'invalid_request',
    'too_many_requests',
    'internal_error',
    'unavailable',
    ...(access === 'public' ? [] : ['token_invalid' as const]),
    ...(access === 'public' || access === 'optional' ? [] : ['token_missing' as const]),
    ...(access === 'public' || allowsSuspended ? [] : ['account_suspended' as const]),
    ...(refusesCrossSite ? ['cross_site_request' as const] : []),
    ...(idempotent ? (['idempotency_key_reused', 'idempotency_key_in_use'] as const) : []),
    ...(ifMatch ? (['precondition_failed'] as const) : []),
    ...(access === 'admin' ? ['not_admin' as const] : []),
    ...problems,
  ];
}

/** Adds the endpoint's route to `app`. */
export function registerEndpoint<S extends RegistrationServices>(
  app: App,
  endpoint: Operation<S>,
  services: S,
): void {
  const { idempotent } = endpoint;
  app.route({
    ...endpoint.routeOptions,
    method: endpoint.method,
    url: endpoint.path,
    config: { ...endpoint, problems: problemsOf(endpoint) },
    schema: schemaOf(endpoint),
    handler: async (request, reply) => {
      const { caller, params, query, body } = request;
      const idempotency = idempotent
        ? idempotencyContext(request, reply, caller, services.config.secretKey)
        : undefined;
      const input = { caller, params, query, body, idempotency, request, reply };
      const catchUp = () => services.changeLog.catchUp();
      return send(reply, await runEndpoint(endpoint, input, services, catchUp), endpoint);
    },
  });
}

/**
 * Runs the handler of an endpoint for a caller whom authentication has found, or for none.
 * @param catchUp reads the change log
 */
export async function runEndpoint<S>(
  { access, uncached, handler }: Endpoint<S>,
  input: { caller: Caller | null },
  services: S,
  catchUp: () => Promise<void>,
): Promise<Response> {
  if (access === 'admin' && input.caller?.role !== 'admin') throw new Problem('not_admin');
  // For a caller, authentication has read the change log.
  if (!input.caller && !uncached) await catchUp();
  return await (handler as (input: unknown, services: S) => Promise<Response>)(input, services);
}

function schemaOf(endpoint: Operation<never>): FastifySchema {
  const { params, query, body, headers, response, idempotent } = endpoint;
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body }),
    ...((headers || idempotent) && { headers: headers ?? IdempotencyHeaders }),
    response,
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
  } as FastifySchema;
}

export type Response = { status: number; body: unknown; headers?: Headers } | PreparedResponse;

/** The one path to the wire: bodies are serialized by the declared schema of their status. */
function send(reply: FastifyReply, result: Response, endpoint: Operation<never>): FastifyReply {
  // A stream writes by itself, and a request that timed out has its response.
  if (result === STREAMED || reply.sent) return reply;
  const { conditional } = endpoint;
  const response = conditional === 'content' ? withContentTag(result, endpoint) : result;
  const { vary, ...headers } = response.headers ?? {};
  if (vary !== undefined) addVary(reply, `${vary}`);
  if (conditional && isNotModified(reply.request, `${headers.etag}`)) {
    // A 304 has no headers that describe the content (RFC 9110, section 15.4.5).
    const { 'content-disposition': _, ...ofCaches } = headers;
    return sendNotModified(reply.headers(ofCaches));
  }
  reply.headers(headers);
  if ('body' in response) return reply.code(response.status).send(response.body);
  if (!('json' in response || 'content' in response)) return sendNotModified(reply);
  reply.code(response.statusCode);
  if ('json' in response) return reply.type('application/json; charset=utf-8').send(response.json);
  return reply.type(response.contentType).send(response.content);
}

/** Adds the ETag of the content, which has nothing that the caller does not read. */
function withContentTag(
  result: Exclude<Response, typeof STREAMED>,
  { response }: Operation<never>,
): Exclude<Response, typeof STREAMED> {
  if ('body' in result) {
    const schema = response[result.status] as TSchema;
    const json = serializerOf(schema)(result.body);
    return { statusCode: result.status, json, headers: { ...result.headers, ...contentHeaders(json) } };
  }
  return 'json' in result
    ? { ...result, headers: { ...result.headers, ...contentHeaders(result.json) } }
    : result;
}

/**
 * Declares an HTTP endpoint: one object holds what clients, validation, documentation and the handler need.
 */
import type { FastifyReply, FastifyRequest, FastifySchema, HTTPMethods } from 'fastify';
import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { ChangeLog } from '#fresh-records';
import { type IdempotencyContext, idempotencyContext } from '../idempotency/context.ts';
import type { Caller, UnlockedCaller } from '../identity/caller.ts';
import { Problem } from '../lib/errors.ts';
import type { ProblemCode } from '../lib/problem-catalogue.ts';
import type { TurnKind } from './admission.ts';
import type { App } from './app.ts';
import type { Compressed } from './bodies.ts';
import {
  addVary,
  contentHeaders,
  isNotModified,
  type NotModifiedResponse,
  sendNotModified,
} from './conditional.ts';
import { IdempotencyHeaders } from './schemas.ts';
import { serializerOf } from './serialization.ts';

/**
 * Whose request it is. The cookie of a browser session counts as a token (authenticate.ts).
 *
 * - `none`: no token is read.
 * - `optional`: a token adds the caller's own fields.
 * - `fresh`: 401 without a token. The session is verified before the handler runs.
 * - `lockedByWrite`: as `fresh`, but the session may have been cached before the request: the write of the handler locks and
 *   verifies it. The handler gets an `UnlockedCaller`, without a role. The change log is not read for it.
 * - `admin`: as `fresh`, and 403 without the role that the caller had when the request was authenticated.
 */
type CallerKind = 'none' | 'optional' | 'fresh' | 'lockedByWrite' | 'admin';

type Optional = TSchema | undefined;
type ValueOf<S extends Optional> = S extends TSchema ? Static<S> : undefined;
type Callers = {
  none: null;
  optional: Caller | null;
  fresh: Caller;
  lockedByWrite: UnlockedCaller;
  admin: Caller;
};

type EndpointRequest<A extends CallerKind, P extends Optional, Q extends Optional, B extends Optional> = {
  caller: Callers[A];
  params: ValueOf<P>;
  query: ValueOf<Q>;
  body: ValueOf<B>;
  /** For endpoints that declare `retry: 'idempotent'`. */
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
  caller: CallerKind;
  /**
   * Codes of the problems that this endpoint can respond with, beyond those of every endpoint of its kind.
   */
  problems?: readonly ProblemCode[];
  /**
   * How a client repeats a POST after a lost response. `idempotent`: with an `Idempotency-Key`; the handler uses
   * `runIdempotent`, or stores its response in its own batch. `repeatable`: as it is; it has the same effect however often it
   * arrives, as a PUT has.
   */
  retry?: 'idempotent' | 'repeatable';
  /**
   * The handler uses no records in memory that the change log keeps current, so the log is not read for it. Before all
   * other handlers but those with `lockedByWrite`, the log is read: what they find in memory is never older than the request.
   */
  uncached?: true;
  /** What a session may do here that it may not do elsewhere, or the other way round. */
  session?: SessionRules;
  limits?: Limits;
  /**
   * The response has an ETag, and a matching `If-None-Match` turns it into a 304 (conditional.ts). `version`: the handler
   * gives the ETag. `content`: it is a hash of the JSON, for lists, which have no version. `ifMatch`: a write that compares
   * `If-Match` with the version of the record (`requireMatch`); the record of its response has an ETag.
   */
  etag?: EntityTag;
  /** The headers of the 201 that say where the new record is, and which version it has. */
  createdHeaders?: readonly ('Location' | 'ETag')[];
  /** Large responses are compressed (bodies.ts); without it, none are. Only for responses without any secret. */
  compressed?: Compressed;
};

type EntityTag = 'version' | 'content' | 'ifMatch';

/** Whether a matching `If-None-Match` turns the response into a 304. */
export const isConditional = (etag: EntityTag | undefined): boolean =>
  etag === 'version' || etag === 'content';

type SessionRules = {
  /**
   * Serves the sessions of suspended accounts too (decision 22). All other endpoints refuse their tokens with
   * a 403.
   */
  allowsSuspended?: true;
  /**
   * Refuses requests that no page of this server sent, with a 403 (same-origin.ts): the response sets the
   * cookie of a browser session.
   */
  sameOriginOnly?: true;
  /**
   * Serves guest tokens, which other endpoints refuse with a 403 `guest_session`. `ofEvent`: those of the event of the
   * parameter `id`, which is the id of the event or of its item. `any`: those of each event. `ignored`: none; a request with one
   * counts as a request without a token.
   */
  guests?: 'ofEvent' | 'any' | 'ignored';
  /** Signs out: removes the cookie of a browser session also if the session has ended already. */
  clearsCookie?: true;
};

type Limits = {
  /** The kind of handlers with which this one takes turns in a client network (turns.ts). Default: `light`. */
  turns?: TurnKind;
  /** Default: 4.5 seconds; a timeout of a route is longer. */
  timeoutMs?: number;
  /** The maximum number of values in the JSON body, at any depth. Default: 500. */
  maxBodyValues?: number;
  /** In bytes. Default: 1 MiB. */
  bodyLimit?: number;
  /** Media types of a body that is not JSON. The module's `setup` adds parsers for them. */
  bodyTypes?: readonly string[];
};

type Declaration<
  A extends CallerKind,
  P extends Optional,
  Q extends Optional,
  B extends Optional,
  R extends Record<number, TSchema>,
  S,
> = Metadata & {
  caller: A;
  params?: P;
  query?: Q;
  body?: B;
  /** Request headers that the endpoint reads. */
  headers?: TObject;
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
  headers?: TObject;
  response: Record<number, TSchema>;
  handler: (request: never, services: S) => unknown;
};

/** An endpoint of a module, which names it and gives it a tag. */
export type Operation<S> = Endpoint<S> & { operationId: string; tag: string };

export function defineEndpoint<
  const A extends CallerKind,
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

/** Whether a request without a token is refused with a 401. */
export const requiresToken = (caller: CallerKind): boolean => caller !== 'none' && caller !== 'optional';

/** Problems of every endpoint, and of those with a caller or an idempotency key. */
function problemsOf(endpoint: Endpoint<never>): ProblemCode[] {
  const { method, caller, session = {}, retry, etag, problems = [] } = endpoint;
  const refusesCrossSite = session.sameOriginOnly || (method !== 'GET' && caller !== 'none');
  return [
    'invalid_request',
    'too_many_requests',
    'internal_error',
    'unavailable',
    ...(caller === 'none' ? [] : ['token_invalid' as const]),
    ...(requiresToken(caller) ? ['token_missing' as const] : []),
    ...(caller === 'none' || session.allowsSuspended ? [] : ['account_suspended' as const]),
    ...(caller === 'none' || session.guests === 'any' || session.guests === 'ignored'
      ? []
      : ['guest_session' as const]),
    ...(refusesCrossSite ? ['cross_site_request' as const] : []),
    ...(retry === 'idempotent' ? (['idempotency_key_reused', 'idempotency_key_in_use'] as const) : []),
    ...(etag === 'ifMatch' ? (['precondition_failed'] as const) : []),
    ...(caller === 'admin' ? ['not_admin' as const] : []),
    ...problems,
  ];
}

/** Adds the endpoint's route to `app`. */
export function registerEndpoint<S extends RegistrationServices>(
  app: App,
  endpoint: Operation<S>,
  services: S,
): void {
  const { retry, limits } = endpoint;
  app.route({
    ...(limits?.bodyLimit !== undefined && { bodyLimit: limits.bodyLimit }),
    method: endpoint.method,
    url: endpoint.path,
    config: { ...endpoint, problems: problemsOf(endpoint) },
    schema: schemaOf(endpoint),
    handler: async (request, reply) => {
      const { caller, params, query, body } = request;
      const idempotency =
        retry === 'idempotent'
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
  { caller, uncached, handler }: Endpoint<S>,
  input: { caller: Caller | null },
  services: S,
  catchUp: () => Promise<void>,
): Promise<Response> {
  if (caller === 'admin' && input.caller?.role !== 'admin') throw new Problem('not_admin');
  // For a caller, authentication has read the change log.
  if (!input.caller && !uncached) await catchUp();
  return await (handler as (input: unknown, services: S) => Promise<Response>)(input, services);
}

function schemaOf(endpoint: Operation<never>): FastifySchema {
  const { params, query, body, headers, response, retry, limits } = endpoint;
  return {
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body && { body: bodySchemaOf(body, limits) }),
    ...((headers || retry === 'idempotent') && {
      headers: Type.Object({
        ...headers?.properties,
        ...(retry === 'idempotent' && IdempotencyHeaders.properties),
      }),
    }),
    response,
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description && { description: endpoint.description }),
  } as FastifySchema;
}

/** Of an endpoint that takes files too, the schema is that of JSON alone. */
const bodySchemaOf = (body: TSchema, limits: Limits | undefined): object =>
  limits?.bodyTypes ? { content: { 'application/json': { schema: body } } } : body;

export type Response = { status: number; body: unknown; headers?: Headers } | PreparedResponse;

/** The one path to the wire: bodies are serialized by the declared schema of their status. */
function send(reply: FastifyReply, result: Response, endpoint: Operation<never>): FastifyReply {
  // A stream writes by itself, and a request that timed out has its response.
  if (result === STREAMED || reply.sent) return reply;
  const { etag } = endpoint;
  const response = etag === 'content' ? withContentTag(result, endpoint) : result;
  const { vary, ...headers } = response.headers ?? {};
  if (vary !== undefined) addVary(reply, `${vary}`);
  if (isConditional(etag) && isNotModified(reply.request, `${headers.etag}`)) {
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

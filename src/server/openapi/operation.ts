/**
 * Describes an operation from the declaration of its endpoint: security, headers, and responses by status.
 */
import type { FastifySchema, RouteOptions } from 'fastify';
import { type TSchema, Type } from 'typebox';
import { isConditional, requiresToken } from '../../http/define-endpoint.ts';
import { IdempotencyHeaders, ref } from '../../http/schemas.ts';
import { catalogue, type ProblemCode } from '../../lib/problem-catalogue.ts';
import { describeProblem, describeSuccess } from './responses.ts';

type QuerySchema = { required?: string[]; properties: Record<string, { default?: unknown }> };
type OperationSchema = FastifySchema & { response?: Record<string, TSchema>; querystring?: QuerySchema };

/**
 * Problems of a request body that occur before the endpoint is called, also if the endpoint reads no body.
 */
const bodyProblems: ProblemCode[] = [
  'malformed_json',
  'unsupported_media_type',
  'unsupported_content_encoding',
  'payload_too_large',
];

/** The ways to authenticate: an access token, or the cookie of a browser session. */
const credentials = [{ bearer: [] }, { browserSession: [] }];

/** Returns routes that are no endpoints unchanged. */
export function describeOperation(
  fastifySchema: FastifySchema | undefined,
  route: RouteOptions,
): FastifySchema {
  const schema = fastifySchema as OperationSchema | undefined;
  const { caller, retry, etag, limits } = route.config ?? {};
  if (!schema || !caller) return schema ?? {};
  const security = caller === 'none' ? [] : requiresToken(caller) ? credentials : [{}, ...credentials];
  return {
    ...schema,
    ...(schema.querystring && { querystring: withoutDefaults(schema.querystring) }),
    ...(retry === 'idempotent' && { headers: idempotencyHeaders }),
    ...(isConditional(etag) && { headers: conditionalHeaders }),
    ...(etag === 'ifMatch' && { headers: matchHeaders }),
    ...(limits?.bodyTypes && describeFiles(limits.bodyTypes, schema.body)),
    security,
    ...(retry === 'repeatable' && { 'x-repeatable': true }),
    response: describeResponses(schema, route),
  } as FastifySchema;
}

/** The bodies of an endpoint that takes files. @param json that of JSON, if it takes that as well */
function describeFiles(types: readonly string[], json: unknown): object {
  if (!json) return { consumes: [...types], body: binaryBody };
  const { content } = json as { content: object };
  const files = Object.fromEntries(types.map((type) => [type, { schema: binaryBody }]));
  return { body: { content: { ...content, ...files } } };
}

function describeResponses({ response = {} }: OperationSchema, { config, method, url }: RouteOptions) {
  const { problems = [], retry, etag, session, createdHeaders } = config ?? {};
  const codes = method === 'GET' ? problems : [...problems, ...bodyProblems];
  const codesByStatus = Map.groupBy(codes, (code) => catalogue[code].status);
  const declared = { ...response, ...(isConditional(etag) && { 304: Type.Null() }) };
  const successes = Object.entries(declared).map(([status, body]) => [
    status,
    {
      ...describeSuccess(status, url, '$id' in body ? ref(body) : body),
      headers: {
        ...(retry === 'idempotent' && replayHeaders),
        ...((isConditional(etag) || (etag === 'ifMatch' && method === 'PATCH')) && etagHeaders),
        ...(session?.sameOriginOnly && cookieHeaders),
        ...Object.fromEntries((createdHeaders ?? []).map((name) => [name, headersOfCreated[name]])),
      },
    },
  ]);
  const failures = [...codesByStatus].map(([status, codes]) => [status, describeProblem(status, codes)]);
  return Object.fromEntries([...successes, ...failures]);
}

/**
 * Validation adds defaults, so a parameter with a default is required for handlers and optional for clients.
 */
function withoutDefaults(querystring: QuerySchema): QuerySchema {
  const { required = [], properties } = querystring;
  return { ...querystring, required: required.filter((name) => properties[name]?.default === undefined) };
}

const binaryBody = Type.String({ format: 'binary' });

/** Node lowercases header names; the document spells them as in the RFC. */
const idempotencyHeaders = Type.Object({
  'Idempotency-Key': IdempotencyHeaders.properties['idempotency-key'],
});
/*
 * Optional headers have no examples: readers of the document send them with every request, and an `If-Match` or an
 * `Idempotency-Key` of somebody else is refused.
 */

/** Only for the document: any value of the header is valid. */
const conditionalHeaders = Type.Object({
  'If-None-Match': Type.Optional(
    Type.String({
      description:
        'ETags that the client has, or `*`. If one is current, the response is a 304 without a body.',
    }),
  ),
});
const matchHeaders = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'ETags of the record, as an earlier response had them, or `*`. Unless one has the current values of all fields ' +
        'that PATCH changes, the response is a 412 and nothing changes. Counters, and fields of the viewer such as ' +
        '`myRsvp`, do not count.',
    }),
  ),
});
const etagHeaders = {
  ETag: { type: 'string', description: 'The version of this response, for `If-None-Match` and `If-Match`.' },
};
const headersOfCreated = {
  Location: { type: 'string', description: 'The path of the new record.' },
  ETag: {
    type: 'string',
    description: 'The version of the new record, for `If-Match`. A replayed response does not have it.',
  },
};
const cookieHeaders = {
  'Set-Cookie': { type: 'string', description: 'The cookies of the browser session and of the device.' },
};
const replayHeaders = {
  'Idempotent-Replayed': {
    type: 'string',
    description:
      '`true` if the response is the stored response of an earlier request with this `Idempotency-Key`.',
  },
};

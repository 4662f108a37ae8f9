/** Sends every error response as application/problem+json (RFC 9457). */
import type { Socket } from 'node:net';
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
} from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { isLingering } from '#admission';
import { Unavailable } from '#base';
import { responseOn } from '#patches';
import { isTransient, isUnstorable } from '#pg';
import { type FieldError, invalidFields, maxErrors, Problem } from '../lib/errors.ts';
import { catalogue, type ProblemCode } from '../lib/problem-catalogue.ts';
import { loggedPath } from './logging.ts';
import { defects } from './metrics.ts';
import { databaseOutage, type OutageLog } from './outage-log.ts';
import { requestIdOf } from './request-head.ts';
import type { StandardHeaders } from './security-headers.ts';
import { violationOf } from './validation-messages.ts';

export const maxParamLength = 16_384;

const mediaType = 'application/problem+json; charset=utf-8';

/**
 * `import` would read all exports of the module. For one of them, `WebSocket`, Node.js loads `fetch`, which
 * takes 25 ms and 2 MB of each start.
 */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

function problemBody(problem: Problem, requestId: string) {
  const { status, title } = catalogue[problem.code];
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    code: problem.code,
    requestId,
    ...(problem.errors && { errors: problem.errors }),
    ...(problem.suspension && { suspension: problem.suspension }),
    ...(problem.user && { user: problem.user }),
  };
}

export function registerProblems(app: FastifyInstance, outages: OutageLog): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    reportOutage(outages, error);
    return sendError(error, request, reply);
  });
  const allowedMethods = trackMethods(app);
  const respondUnknown = (request: FastifyRequest, reply: FastifyReply) => {
    const allowed = allowedMethods(request.url);
    if (allowed.length > 0) reply.header('allow', allowed.join(', '));
    const code = allowed.length > 0 ? 'method_not_allowed' : 'route_not_found';
    const options = request.url.startsWith('//')
      ? { detail: 'The path begins with two slashes. Send one.' }
      : {};
    return sendProblem(new Problem(code, options), request, reply);
  };
  app.setNotFoundHandler(respondUnknown);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS')
      reply.header('allow', [...allowedMethods(request.url), 'OPTIONS'].join(', '));
    done();
  });
  // Before the body is parsed: for an unknown path, the 404 precedes errors of the body.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (request.is404) respondUnknown(request, reply);
    else done();
  });
}

function reportOutage(outages: OutageLog, error: FastifyError): void {
  const outage = databaseOutage(error);
  if (outage) outages.report(outage, error);
  // The request waited too long for a connection or a batch, or reached its timeout.
  else if (error.code === 'unavailable') outages.suspectDatabase();
}

export const sendError = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
  sendProblem(reportedProblem(error, request), request, reply);

function reportedProblem(error: FastifyError, request: FastifyRequest): Problem {
  const problem = toProblem(error);
  if (problem.code === 'internal_error') reportUnexpected(request, error);
  return problem;
}

type ErrorResponse = { status: number; headers: Record<string, string | number>; json: string };

/** Reports an error as for a response, and returns the response. */
export function toErrorResponse(
  error: FastifyError,
  request: FastifyRequest,
  outages: OutageLog,
): ErrorResponse {
  reportOutage(outages, error);
  return errorResponse(reportedProblem(error, request), request);
}

/** Logs and counts an error that is a defect of the server. */
export function reportUnexpected({ id, method, url, log }: FastifyRequest, error: unknown): void {
  const err = error instanceof Error ? error : new Error(String(error));
  defects.inc();
  log.error({ reqId: id, method, path: loggedPath(url), err }, 'unexpected error');
}

/** The response of a refusal that is no defect and no sign of an outage. */
export function errorResponse(problem: Problem, { id }: Pick<FastifyRequest, 'id'>): ErrorResponse {
  const { status } = catalogue[problem.code];
  const headers = {
    // RFC 6750, section 3.1: a request without a token has no error.
    ...(status === 401 && {
      'www-authenticate': problem.code === 'token_invalid' ? 'Bearer error="invalid_token"' : 'Bearer',
    }),
    ...((status === 429 || status === 503) && { 'retry-after': problem.retryAfter ?? 1 }),
    // A cache may store a 404 or 405 that does not forbid it, also of a page.
    'cache-control': 'no-store',
    'content-type': mediaType,
  };
  // A string, because routes declare serializers for successful responses only.
  return { status, headers, json: JSON.stringify(problemBody(problem, id)) };
}

function sendProblem(problem: Problem, request: FastifyRequest, reply: FastifyReply) {
  const { status, headers, json } = errorResponse(problem, request);
  return reply.code(status).headers(headers).send(json);
}

/** Problem codes of the errors that Fastify reports before a handler runs. */
const fromFastify: Record<string, ProblemCode> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'route_not_found',
  FST_ERR_MAX_PARAM_LENGTH: 'route_not_found',
};

function toProblem(error: FastifyError): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Unavailable) return new Problem('unavailable', { retryAfter: error.retryAfter });
  if (error.validation) return validationProblem(error);
  const code = fromFastify[error.code];
  if (code) return new Problem(code);
  if (isTransient(error)) return new Problem('unavailable');
  if (isUnstorable(error)) return new Problem('invalid_request', { detail: 'A value cannot be stored.' });
  if (error.statusCode === 400) return new Problem('malformed_json');
  return new Problem('internal_error');
}

function validationProblem(error: FastifyError): Problem {
  const [whole, part] =
    error.validationContext === 'querystring' ? ['query', 'parameter'] : ['body', 'field'];
  const errors = new Map<string, FieldError>();
  for (const fault of error.validation ?? []) {
    const { missingProperty, additionalProperty, type } = fault.params as {
      missingProperty?: string;
      additionalProperty?: string;
      type?: string;
    };
    const inside = fault.instancePath.slice(1).split('/').filter(Boolean);
    const name = missingProperty ?? additionalProperty;
    const path = [...inside, ...(name === undefined ? [] : [name])].join('.') || whole;
    // Parameters are texts, so only a repeated one is something else.
    const isRepeated = part === 'parameter' && type === 'string';
    const violation =
      additionalProperty !== undefined
        ? { message: `is not a known ${part}` }
        : isRepeated
          ? { message: 'must be sent once' }
          : violationOf(fault);
    const known = errors.get(path);
    if (!known && errors.size === maxErrors) break;
    // The first error of a field is specific; later ones, such as "must match a schema in anyOf", are not.
    if (!known) errors.set(path, { path, ...violation });
    else if (type === 'null') known.message += ', or null';
  }
  return invalidFields([...errors.values()]);
}

/**
 * Responds with 404 to paths such as `/v1/events/`, which the router matches with `/v1/events/:id` and an
 * empty id. The hook precedes all others of the route, so the 404 precedes authentication, as for any unknown
 * path.
 */
export function registerEmptyParameters(app: FastifyInstance): void {
  const refuseEmpty: onRequestHookHandler = (request, _reply, done) =>
    done(hasEmpty(request.params) ? new Problem('route_not_found') : undefined);
  app.addHook('onRoute', (route) => {
    if (!route.url.includes(':')) return;
    route.onRequest = [refuseEmpty, ...[route.onRequest ?? []].flat()];
  });
}

function hasEmpty(params: unknown): boolean {
  const values = params as Record<string, string>;
  for (const name in values) if (values[name] === '') return true;
  return false;
}

/** Returns a function that finds the methods of a path: Fastify does not distinguish 404 from 405. */
function trackMethods(app: FastifyInstance): (url: string) => string[] {
  const router = findMyWay({ maxParamLength });
  const methods = new Set<HTTPMethod>();
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat() as HTTPMethod[]) {
      if (url === '*' || url === '/*') continue;
      methods.add(each);
      if (!router.hasRoute(each, url)) router.on(each, url, () => {});
    }
  });
  return (url) => {
    const path = url.split('?', 1)[0] ?? url;
    return [...methods].filter((method) => {
      const found = router.find(method, path);
      return found !== null && !hasEmpty(found.params);
    });
  };
}

const clientFaults: Record<string, ProblemCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** llhttp refuses a request line with a byte above 127 as an invalid URL. */
const faultOf = ({ code }: NodeJS.ErrnoException): string =>
  code === 'HPE_INVALID_URL'
    ? 'The address in the request line has a character that it must not have. Percent-encode it: %C3%B6 in place of ö.'
    : 'That is not HTTP.';

/** Returns a handler for malformed requests, for which Node.js provides only the socket. */
export function createClientErrorHandler({ rawHeaders }: StandardHeaders) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const response = responseOn(socket);
    const hasResponse = response?.headersSent || isLingering(socket);
    if (error.code === 'ECONNRESET' || !socket.writable || hasResponse) return void socket.destroy();
    const code = clientFaults[error.code ?? ''];
    const problem = code ? new Problem(code) : new Problem('invalid_request', { detail: faultOf(error) });
    // If only the body is malformed, the headers and their request id are known.
    const requestId = requestIdOf(response?.req ?? { headers: {} });
    const body = JSON.stringify(problemBody(problem, requestId));
    const { status } = catalogue[problem.code];
    const headers = {
      ...rawHeaders(requestId),
      'content-type': mediaType,
      'content-length': `${Buffer.byteLength(body)}`,
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
  };
}

/**
 * Validates requests: bodies without coercion, query strings with coercion, and texts that PostgreSQL can
 * store.
 */
import { _, Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseDay, parseTimestamp, withPlus } from '#base';
import { numeral, parseBox, parseCoordinates } from '../lib/coordinates.ts';
import { hasDecimals } from '../lib/currencies.ts';
import { type FieldError, invalid, invalidFields, Problem } from '../lib/errors.ts';
import {
  isOneGrapheme,
  isPersonName,
  isVisibleLine,
  isVisibleText,
  withoutBidiControls,
} from '../lib/text.ts';
import { isTimeZone } from '../lib/time-zones.ts';
import { parseAddress } from '../lib/user-texts/parse-address.ts';
import { boundTexts } from './bounded-texts.ts';
import { isDecodable } from './request-head.ts';

const options: Options = { allErrors: true, useDefaults: true, strict: true, strictTypes: false };

export function registerValidation(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart }) =>
    validatorOf(httpPart === 'body' ? bodyValidator : queryValidator, schema),
  );

  registerParsers(app);
  closeQueries(app);

  // Node's own check, which responds without a body, is disabled in create-fastify.ts.
  app.addHook('onRequest', (request, _reply, done) => {
    const isMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    done(isMissing ? invalid('host', 'is a header that HTTP/1.1 requires') : undefined);
  });

  // Unknown expectations are ignored, as RFC 9110 allows; Node would respond without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.addHook('preParsing', (request, reply, _payload, done) => {
    // For an unknown path, the 404 (problems.ts) takes precedence.
    done(request.is404 ? undefined : refuseEncoding(request, reply));
  });

  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body instanceof UnreadJson) {
      const body = request.body.read();
      if (body instanceof Problem) return done(body);
      request.body = body;
    }
    done();
  });

  // The validator reports all errors; 100,000 invalid fields would block the process for seconds.
  app.addHook('preValidation', (request, _reply, done) => {
    refuseOddNumbers(request);
    const max = request.routeOptions.config.limits?.maxBodyValues ?? maxValues;
    const isTooMuch = request.body !== undefined && hasMoreValues(request.body, max);
    done(isTooMuch ? invalid('body', `has more than ${max} values`) : undefined);
  });

  // After validation a body is no deeper than its schema, which bounds the recursion.
  app.addHook('preHandler', (request, _reply, done) => {
    const errors = [
      ...undecodable(request.url),
      ...unexpectedBody(request),
      ...unstorable(request.query, ''),
      ...unstorable(request.body, ''),
    ];
    done(errors.length > 0 ? invalidFields(errors) : undefined);
  });
}

/**
 * Compiles the schema for the first request that it validates, like serializers (serialization.ts). `ajv` returns the
 * same function for the same schema.
 */
function validatorOf(ajv: Ajv, schema: object): (data: unknown) => true | { error: ErrorObject[] } {
  let validate: ValidateFunction | undefined;
  return (data) => {
    validate ??= ajv.compile(schema);
    return validate(data) || { error: validate.errors ?? [] };
  };
}

/**
 * Validates the parameters of a read inside the process as those of a request. They get the defaults of their schema.
 * @param schema of the endpoint; undefined if it has no parameters
 * @throws an error that becomes the problem of a request with these parameters (problems.ts)
 */
export function validateQuery(schema: object | undefined, query: Record<string, unknown>): void {
  const result = validatorOf(queryValidator, closed(schema ?? noParameters))(query);
  if (result !== true)
    throw Object.assign(new Error('invalid query'), {
      validation: result.error,
      validationContext: 'querystring',
    });
  const errors = unstorable(query, '');
  if (errors.length > 0) throw invalidFields(errors);
}

/**
 * Refuses an encoded body before it is read (RFC 9110, 15.5.16). `Accept-Encoding` tells the client that the
 * coding is at fault and not the media type (RFC 9110, 12.5.3).
 */
function refuseEncoding(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
  const { 'content-encoding': encoding = '', 'transfer-encoding': transfer } = request.headers;
  const hasBody = transfer !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  const isPlain = encoding
    .split(',')
    .every((coding) => ['', 'identity'].includes(coding.trim().toLowerCase()));
  // The body of a GET or HEAD is never read.
  if (isPlain || !hasBody || request.method === 'GET' || request.method === 'HEAD') return undefined;
  reply.header('accept-encoding', 'identity');
  return new Problem('unsupported_content_encoding', {
    detail: `The Content-Encoding "${encoding.slice(0, 100)}" is not supported; send the body without compression.`,
  });
}

/** Images and calendars: other sites add parameters such as `utm_source` to links. */
const linked = /\.(svg|webp|ics)$/;

/** On every other route of the API an unknown query parameter results in a 400, as an unknown field of a body does. */
function closeQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || linked.test(route.url)) return;
    const { querystring = noParameters } = (route.schema ?? {}) as { querystring?: object };
    route.schema = { ...route.schema, querystring: closed(querystring) };
  });
}

const noParameters = { type: 'object', properties: {} };
const closedSchemas = new WeakMap<object, object>();

/** Returns the same object for the same schema, because Ajv compiles each new object. */
const closed = (querystring: object): object =>
  closedSchemas.getOrInsertComputed(querystring, () => ({ ...querystring, additionalProperties: false }));

type QuerySchema = { properties?: Record<string, { type?: string }> };
const numberNames = new WeakMap<QuerySchema, string[]>();
const namesOfNumbers = ({ properties = {} }: QuerySchema): string[] =>
  Object.keys(properties).filter((name) => /^(number|integer)$/.test(properties[name]?.type ?? ''));

/** Rejects `0x10`, `5.` and spaces around a number, which Ajv's coercion would accept. */
function refuseOddNumbers({ query, routeOptions }: FastifyRequest): void {
  const schema = routeOptions.schema?.querystring as QuerySchema | undefined;
  if (!schema) return;
  const values = query as Record<string, unknown>;
  for (const name of numberNames.getOrInsertComputed(schema, namesOfNumbers)) {
    const text = values[name];
    if (typeof text === 'string' && !numeral.test(text)) values[name] = 'no number';
  }
}

/**
 * Several times the number of values in the largest valid body, except for endpoints that declare
 * `maxBodyValues`.
 */
const maxValues = 500;

/** Counts values at any depth, and stops as soon as there are more. */
function hasMoreValues(body: unknown, max: number): boolean {
  const waiting = [body];
  for (let seen = 1; waiting.length > 0; ) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    seen += inner.length;
    if (seen > max) return true;
    waiting.push(...inner);
  }
  return false;
}

// A decoder that is not fatal would put U+FFFD where the sender's text was broken.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body that has arrived and is read in the turn of its request (turns.ts): a megabyte takes milliseconds. */
class UnreadJson {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(): unknown {
    try {
      // `__proto__` is an unknown field like any other here: JSON.parse makes a plain property of it.
      return JSON.parse(utf8.decode(this.#bytes));
    } catch {
      return new Problem('malformed_json');
    }
  }
}

/** JSON and nothing else. */
function registerParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    // Many clients declare JSON and send nothing, on DELETE above all.
    if (bytes.length === 0) return done(null, undefined);
    const charset = foreignCharset(request);
    if (charset !== null) return done(unsupportedCharset(charset), undefined);
    done(null, new UnreadJson(bytes as Buffer));
  });
  // Some clients name a type although they send nothing, which is all right where nothing is expected.
  app.addContentTypeParser('*', (request, _payload, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    const isEmpty = length === '0' && encoding === undefined;
    if (isEmpty && !request.routeOptions.schema?.body) return done(null, undefined);
    done(new Problem('unsupported_media_type'), undefined);
  });
}

/** Names of UTF-8 and of its subset. */
const utf8Names = ['utf-8', 'utf8', 'us-ascii', 'ascii'];

/** JSON has no parameter `charset` (RFC 8259), but clients send it. Returns the name of another encoding than UTF-8. */
function foreignCharset({ headers }: FastifyRequest): string | null {
  const name = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1];
  return name && !utf8Names.includes(name.toLowerCase()) ? name : null;
}

const unsupportedCharset = (charset: string): Problem =>
  new Problem('unsupported_media_type', {
    detail: `The charset "${charset.slice(0, 100)}" is not supported; send JSON as UTF-8.`,
  });

/** Returns a validator with the rules for request bodies; the import of calendars uses it as well. */
export const createBodyValidator = (): Ajv => withFormats(new Ajv(options));

/** These are shared by all servers of a process, because Ajv compiles a schema once for each of its instances. */
const bodyValidator = createBodyValidator();
// With strictNumbers, Ajv would not apply the limits to 1e400, which coercion turns into Infinity.
const queryValidator = withFormats(new Ajv({ ...options, coerceTypes: true, strictNumbers: false }));

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['uri']);
  ajv.addFormat('timestamp', (text) => parseTimestamp(text) !== null);
  ajv.addFormat('timestamp-or-day', (text) => (parseDay(text) ?? parseTimestamp(withPlus(text))) !== null);
  ajv.addFormat('bbox', (text) => parseBox(text) !== null);
  ajv.addFormat('lat-lng', (text) => parseCoordinates(text) !== null);
  ajv.addFormat('grapheme', (text) => isOneGrapheme(text) && isVisibleText(text));
  ajv.addFormat('person-name', isPersonName);
  ajv.addFormat('visible-line', isVisibleLine);
  ajv.addFormat('visible-text', isVisibleText);
  ajv.addFormat('time-zone', isTimeZone);
  ajv.addFormat('http-url', (text) => parseAddress(text) !== null);
  ajv.addFormat('https-url', (text) => parseAddress(text)?.protocol === 'https:');
  ajv.addFormat('currency', (text) => currencies.has(text));
  boundTexts(ajv);
  // For amounts of money.
  ajv.addKeyword({
    keyword: 'x-max-decimals',
    type: 'number',
    schemaType: 'number',
    error: { message: 'has too many decimals', params: ({ schema }) => _`{ limit: ${schema} }` },
    validate: (decimals: number, amount: number) => hasDecimals(amount, decimals),
  });
  ajv.addKeyword({
    keyword: 'x-without-bidi-controls',
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    validate(
      _: boolean,
      text: string,
      __?: object,
      at?: { parentData: object; parentDataProperty: string | number },
    ) {
      if (at?.parentData)
        Object.assign(at.parentData, { [at.parentDataProperty]: withoutBidiControls(text) });
      return true;
    },
  });
  return ajv;
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Returns errors for parameters that are not percent-encoded UTF-8; the parser does not decode them. */
function undecodable(url: string): FieldError[] {
  const query = url.slice(url.indexOf('?') + 1);
  if (query.length === url.length || isDecodable(query)) return [];
  const broken = query.split('&').filter((pair) => !isDecodable(pair));
  return broken.map((pair) => ({
    path: pair.split('=', 1)[0] ?? pair,
    message: 'is not percent-encoded UTF-8',
  }));
}

/** PostgreSQL stores no NUL, and a lone surrogate would become U+FFFD. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Returns errors for texts with NUL or lone surrogates, at any depth. */
function unstorable(value: unknown, path: string): FieldError[] {
  if (typeof value === 'string') {
    return isStorable(value)
      ? []
      : [{ path: path || 'body', rule: 'storable', message: 'must not contain NUL or lone surrogates' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return unstorable(inner, path ? `${path}.${key}` : key);
  });
}

/** Returns errors for a body of a route that declares none; an empty object is accepted. */
function unexpectedBody(request: FastifyRequest): FieldError[] {
  const { body } = request;
  if (body === undefined || body === null || request.routeOptions.schema?.body) return [];
  if (typeof body !== 'object' || Array.isArray(body))
    return [{ path: 'body', message: 'must be empty or an empty object' }];
  return Object.keys(body).map((name) => ({ path: name, message: 'is not a known field' }));
}

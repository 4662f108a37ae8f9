/** What enters: JSON bodies exactly as the schema says, query strings coerced by it, and no text that cannot be stored. */

import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type FieldError, invalid, invalidFields, Problem } from '../lib/errors.ts';
import { isOneGrapheme, isStorable, isVisibleLine, isVisibleText } from '../lib/text.ts';
import { parseDay, parseTimestamp, withPlus } from '../lib/time.ts';
import { isTimeZone } from '../lib/time-zones.ts';

const options: Options = { allErrors: true, useDefaults: true, strict: true, strictTypes: false };

export function registerValidation(app: FastifyInstance): void {
  const body = createBodyValidator();
  // With strictNumbers the limits are not held against 1e400, which coercion lets through as Infinity.
  const query = withFormats(new Ajv({ ...options, coerceTypes: true, strictNumbers: false }));
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? body : query).compile(schema));

  registerParsers(app);
  closeQueries(app);

  // Node's own check answers with an empty page; it is switched off in app.ts.
  app.addHook('onRequest', (request, _reply, done) => {
    const isMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1';
    done(isMissing ? invalid('host', 'is a header that HTTP/1.1 requires') : undefined);
  });

  // An expectation that is not known may be ignored; Node would answer it with an empty page.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.addHook('preParsing', (request, reply, _payload, done) => {
    // For an unknown path the 404 of problem.ts comes first.
    done(request.is404 ? undefined : refuseEncoding(request, reply));
  });

  // The validator names every fault before any is cut; a body of a hundred thousand would keep it busy for seconds.
  app.addHook('preValidation', (request, _reply, done) => {
    refuseOddNumbers(request);
    const isTooMuch = request.body !== undefined && hasMoreValues(request.body, maxValues);
    done(isTooMuch ? invalid('body', `has more than ${maxValues} values`) : undefined);
  });

  // After validation: by then a body is no deeper than its schema, so the walk through it is bounded.
  app.addHook('preHandler', (request, _reply, done) => {
    const errors = [
      ...undecodable(request.url),
      ...unasked(request),
      ...unstorable(request.query, ''),
      ...unstorable(request.body, ''),
    ];
    done(errors.length > 0 ? invalidFields(errors) : undefined);
  });
}

/**
 * Refuses an encoded body before it is read (RFC 9110, 15.5.16). `Accept-Encoding` tells the client that the coding is
 * at fault and not the media type (RFC 9110, 12.5.3).
 */
function refuseEncoding(request: FastifyRequest, reply: FastifyReply): Problem | undefined {
  const { 'content-encoding': encoding = '', 'transfer-encoding': transfer } = request.headers;
  const hasBody = transfer !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
  const isPlain = encoding.split(',').every((coding) => /^\s*(?:identity)?\s*$/i.test(coding));
  // The body of a GET or HEAD is never read.
  if (isPlain || !hasBody || request.method === 'GET' || request.method === 'HEAD') return undefined;
  reply.header('accept-encoding', 'identity');
  return new Problem('unsupported_content_encoding', {
    detail: `The Content-Encoding "${encoding.slice(0, 100)}" is not supported; send the body without compression.`,
  });
}

/** Images and calendars: their addresses are passed on as links, which gather parameters such as `utm_source`. */
const linked = /\.(svg|webp|ics)$/;

/** On every other route of the API an unknown query parameter is a 400, as an unknown field of a body is. */
function closeQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || linked.test(route.url)) return;
    const { querystring = noParameters } = (route.schema ?? {}) as { querystring?: object };
    route.schema = { ...route.schema, querystring: { ...querystring, additionalProperties: false } };
  });
}

const noParameters = { type: 'object', properties: {} };

/** As JSON writes numbers, and as the OpenAPI document therefore says. */
const numeral = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const numberNames = new WeakMap<object, string[]>();

/** Coercion would make numbers of `0x10`, `5.` and blanks round a number too; what stands there then is none. */
function refuseOddNumbers({ query, routeOptions }: FastifyRequest): void {
  const schema = routeOptions.schema?.querystring as { properties?: Record<string, { type?: string }> };
  if (!schema?.properties) return;
  let names = numberNames.get(schema);
  if (!names) {
    const all = Object.entries(schema.properties);
    names = all.filter(([, { type }]) => type === 'number' || type === 'integer').map(([name]) => name);
    numberNames.set(schema, names);
  }
  const values = query as Record<string, unknown>;
  for (const name of names) {
    const text = values[name];
    if (typeof text === 'string' && !numeral.test(text)) values[name] = 'no number';
  }
}

/** Several times what the largest body that any route takes has. */
const maxValues = 500;

/** Counts values at any depth, and stops as soon as there are more. */
function hasMoreValues(body: unknown, most: number): boolean {
  const waiting = [body];
  for (let seen = 1; waiting.length > 0; ) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    seen += inner.length;
    if (seen > most) return true;
    waiting.push(...inner);
  }
  return false;
}

/** JSON and nothing else. */
function registerParsers(app: FastifyInstance): void {
  // A decoder that is not fatal would put U+FFFD where the sender's text was broken.
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    // Many clients declare JSON and send nothing, on DELETE above all.
    if (bytes.length === 0) return done(null, undefined);
    try {
      // `__proto__` is an unknown field like any other here: JSON.parse makes a plain property of it.
      done(null, JSON.parse(utf8.decode(bytes as Buffer)));
    } catch {
      done(new Problem('malformed_json'), undefined);
    }
  });
  // Some clients name a type although they send nothing, which is all right where nothing is expected.
  app.addContentTypeParser('*', (request, _payload, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    const isEmpty = length === '0' && encoding === undefined;
    if (isEmpty && !request.routeOptions.schema?.body) return done(null, undefined);
    done(new Problem('unsupported_media_type'), undefined);
  });
}

/** What checks bodies; whoever takes in the same things from elsewhere holds them to the same rules with it. */
export const createBodyValidator = (): Ajv => withFormats(new Ajv(options));

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['uri']);
  ajv.addFormat('timestamp', (text) => parseTimestamp(text) !== null);
  ajv.addFormat('timestamp-or-day', (text) => (parseDay(text) ?? parseTimestamp(withPlus(text))) !== null);
  ajv.addFormat('grapheme', isOneGrapheme);
  ajv.addFormat('visible-line', isVisibleLine);
  ajv.addFormat('visible-text', isVisibleText);
  ajv.addFormat('time-zone', isTimeZone);
  ajv.addFormat('http-url', (text) => URL.canParse(text) && /^https?:\/\/[^\s]+$/i.test(text));
  ajv.addFormat('currency', (text) => currencies.has(text));
  // Money has two decimals; 0.1 + 0.2 style noise is not what anybody meant to send.
  ajv.addKeyword({
    keyword: 'x-max-decimals',
    type: 'number',
    schemaType: 'number',
    error: { message: ({ schema }) => `must have at most ${schema} decimals` },
    validate: (places: number, value: number) => Number(value.toFixed(places)) === value,
  });
  return ajv;
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

/** A path whose percent-encoding is broken is taken as it stands: an id like any other that nothing has. */
export function readablePath(url: string): string {
  const [path = '', ...query] = url.split('?');
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?');
}

/** The parameters whose percent-encoding is broken, or not of UTF-8; the parser leaves those as they are. */
function undecodable(url: string): FieldError[] {
  const query = url.slice(url.indexOf('?') + 1);
  if (query.length === url.length || isDecodable(query)) return [];
  const broken = query.split('&').filter((pair) => !isDecodable(pair));
  return broken.map((pair) => ({
    path: pair.split('=', 1)[0] ?? pair,
    message: 'is not percent-encoded UTF-8',
  }));
}

function isDecodable(text: string): boolean {
  if (!text.includes('%')) return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The paths of texts with NUL or half a surrogate pair. */
function unstorable(value: unknown, path: string): FieldError[] {
  if (typeof value === 'string') {
    return isStorable(value)
      ? []
      : [{ path: path || 'body', message: 'must not contain NUL or lone surrogates' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    return unstorable(inner, path ? `${path}.${key}` : key);
  });
}

/** A route without a body takes none, or an empty object. */
function unasked(request: FastifyRequest): FieldError[] {
  const { body } = request;
  if (body === undefined || body === null || request.routeOptions.schema?.body) return [];
  if (typeof body !== 'object' || Array.isArray(body))
    return [{ path: 'body', message: 'must be empty or an empty object' }];
  return Object.keys(body).map((name) => ({ path: name, message: 'is not a known field' }));
}

/** What enters: JSON bodies exactly as the schema says, query strings coerced by it, and no text that cannot be stored. */
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type FieldError, Problem } from '../errors.ts';
import { isOneGrapheme, isStorable } from '../text.ts';
import { parseDay, parseTimestamp } from '../time.ts';

const options: Options = { allErrors: true, useDefaults: true, strict: true, strictTypes: false };

export function registerStrictness(app: FastifyInstance): void {
  const body = withFormats(new Ajv(options));
  const query = withFormats(new Ajv({ ...options, coerceTypes: true }));
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? body : query).compile(schema));

  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    // Many clients declare JSON and send nothing, on DELETE above all.
    if (text === '') return done(null, undefined);
    return parse(request, text as string, done);
  });

  // After validation: by then a body is no deeper than its schema, so the walk below is bounded.
  app.addHook('preHandler', async (request) => {
    const errors = [...unstorable(request.query, ''), ...unstorable(request.body, '')];
    if (errors.length > 0) throw new Problem('invalid_request', { errors });
    refuseUnaskedBody(request);
  });
}

function withFormats(ajv: Ajv): Ajv {
  addFormats.default(ajv, ['uri']);
  ajv.addFormat('timestamp', (text) => parseTimestamp(text) !== null);
  ajv.addFormat('timestamp-or-day', (text) => (parseDay(text) ?? parseTimestamp(text)) !== null);
  ajv.addFormat('grapheme', isOneGrapheme);
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

function isTimeZone(name: string): boolean {
  try {
    // Offsets such as +02:00 are no names, though Intl takes them.
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** The paths of texts with NUL or half a surrogate pair; keys count too. */
function unstorable(value: unknown, path: string): FieldError[] {
  if (typeof value === 'string') {
    return isStorable(value)
      ? []
      : [{ path: path || 'body', message: 'must not contain NUL or lone surrogates' }];
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = key.toWellFormed().replaceAll('\0', '');
    const here = path ? `${path}.${name}` : name;
    return isStorable(key) ? unstorable(inner, here) : [{ path: here, message: 'is not a known field' }];
  });
}

/** A route without a body takes none, or an empty object. */
function refuseUnaskedBody(request: FastifyRequest): void {
  if (request.routeOptions.schema?.body || request.body === undefined || request.body === null) return;
  const keys = typeof request.body === 'object' ? Object.keys(request.body) : ['body'];
  if (keys.length === 0) return;
  throw new Problem('invalid_request', {
    errors: keys.map((path) => ({ path, message: 'is not a known field' })),
  });
}

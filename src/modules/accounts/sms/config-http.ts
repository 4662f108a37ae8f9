/** An SMS service with an HTTP API: the request for a message, as templates. No fault shows a value with secrets. */
import { isIP } from 'node:net';
import { isPublicAddress } from '#base';
import { isUrl, type Reader } from '../../../config/reader.ts';
import { type BodyFormat, fillIn, hasPlaceholder, hasUnknownPlaceholder } from './template.ts';

export type HttpSmsConfig = {
  driver: 'http';
  /** A template, without user and password. */
  url: string;
  method: string;
  /** By names in lower case: those of the variable, the type of the body, and the user and password of the URL. */
  headers: Record<string, string>;
  body: { template: string; format: BodyFormat } | undefined;
  /** Empty if no template has it. */
  sender: string;
  /** The ranges of statuses that mean success. */
  statuses: [first: number, last: number][];
  /** A text of each response to an accepted message. Undefined: the status decides. */
  response: string | undefined;
};

export function readHttpSms(read: Reader): HttpSmsConfig {
  const { url, authorization } = readAddress(read);
  const method = read.oneOf('SMS_HTTP_METHOD', ['POST', 'GET', 'PUT'], 'POST');
  const headers = readHeaders(read);
  if (authorization && headers?.authorization !== undefined)
    read.faults.push('SMS_HTTP_HEADERS has an authorization, and SMS_HTTP_URL has a user: use one of them.');
  const template = read.text('SMS_HTTP_BODY');
  if (template && method === 'GET')
    read.faults.push('SMS_HTTP_BODY is set, but SMS_HTTP_METHOD is GET: those requests have no body.');
  const sender = read.text('SMS_HTTP_SENDER');
  if (url) checkPlaceholders(read, { url, body: template ?? '', sender });
  const body = headers && template ? readBody(read, template, headers['content-type']) : undefined;
  return {
    driver: 'http',
    url: url ?? '',
    method,
    headers: { ...(body && { 'content-type': mediaTypes[body.format] }), ...authorization, ...headers },
    body,
    sender: sender ?? '',
    statuses: readStatuses(read),
    response: read.text('SMS_HTTP_RESPONSE'),
  };
}

/** Names of machines that are not on the public internet. */
const ownName = /^[^.]+$|\.(local|lan|internal|home\.arpa|localhost|test)$/;

/** `fetch` accepts no URL with a user, so the user becomes a header. */
function readAddress(read: Reader): { url?: string; authorization?: { authorization: string } } {
  const given = read.needed('SMS_HTTP_URL', 'SMS_DRIVER=http needs the address of the service');
  if (!given) return {};
  const parsed = isUrl(given, ['https:', 'http:']) ? new URL(given) : null;
  const credentials = parsed && [parsed.username, parsed.password].map(decodeURIComponent).join(':');
  if (!parsed || credentials === null || parsed.hash || hasPlaceholder(credentials + parsed.host)) {
    read.faults.push(
      'SMS_HTTP_URL is not an address that starts with https:// or http:// and has placeholders only in its path ' +
        'and query; characters such as @, # and % in a password must be percent-encoded.',
    );
    return {};
  }
  const host = parsed.hostname.replace(/^\[|\]$/g, '');
  if (parsed.protocol === 'http:' && (isIP(host) ? isPublicAddress(host) : !ownName.test(host))) {
    read.faults.push(
      'SMS_HTTP_URL starts with http://, which shows codes to every network on the way: use https://. ' +
        'http:// is for an address of your own network, or a name that ends with .local, .lan, .internal or .home.arpa.',
    );
  }
  const url = given.replace(/^(https?:\/\/)[^/?\\]*@/i, '$1');
  if (credentials === ':') return { url };
  return { url, authorization: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` } };
}

/** What the HTTP client decides. */
const ownHeaders =
  /^(connection|content-length|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

/** @returns the headers by names in lower case; undefined if the variable is invalid */
function readHeaders(read: Reader): Record<string, string> | undefined {
  const text = read.text('SMS_HTTP_HEADERS');
  if (text === undefined) return {};
  const headers = parseHeaders(text);
  if (!headers) {
    read.faults.push(
      'SMS_HTTP_HEADERS is not a JSON object of headers, such as {"x-api-key":"…"}. In a file .env, it is one line ' +
        'between single quotes.',
    );
    return undefined;
  }
  const own = Object.keys(headers).find((name) => ownHeaders.test(name));
  if (own) read.faults.push(`SMS_HTTP_HEADERS has ${own}, which the server sets itself.`);
  if (Object.values(headers).some(hasPlaceholder))
    read.faults.push('SMS_HTTP_HEADERS has a placeholder; those are for SMS_HTTP_URL and SMS_HTTP_BODY.');
  return headers;
}

function parseHeaders(text: string): Record<string, string> | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    const entries = Object.entries(value);
    if (!entries.every((entry): entry is [string, string] => typeof entry[1] === 'string')) return null;
    // Refuses names and values that a header cannot have.
    return Object.fromEntries(new Headers(entries));
  } catch {
    return null;
  }
}

const mediaTypes: Record<BodyFormat, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
};

/** Values with each character that ends a string or a parameter somewhere. */
const sample = { phone: '+12025550102', digits: '12025550102', text: 'a"\\\n&=#%+é', sender: 'a"b' };

/** @param type the header `Content-Type`; without one, the first character of the body decides */
function readBody(read: Reader, template: string, type: string | undefined): HttpSmsConfig['body'] {
  const mediaType = type?.split(';', 1)[0]?.trim().toLowerCase();
  const guess: BodyFormat = /^[[{]/.test(template) ? 'json' : 'form';
  const format = mediaType ? formatOf(mediaType) : guess;
  if (!format) {
    read.faults.push(
      `SMS_HTTP_HEADERS has another content type than ${mediaTypes.json} and ${mediaTypes.form}, of which ` +
        'SMS_HTTP_BODY can be.',
    );
    return undefined;
  }
  if (!hasUnknownPlaceholder(template) && !isBody[format](fillIn(template, sample, format)))
    read.faults.push(bodyFaults[format]);
  return { template, format };
}

function formatOf(mediaType: string): BodyFormat | undefined {
  if (mediaType === mediaTypes.form) return 'form';
  return /^application\/([\w.-]+\+)?json$/.test(mediaType) ? 'json' : undefined;
}

const isBody: Record<BodyFormat, (body: string) => boolean> = {
  json(body) {
    try {
      return JSON.parse(body) !== null;
    } catch {
      return false;
    }
  },
  form: (body) => /^[^=&]+=[^&]*(&[^=&]+=[^&]*)*$/.test(body) && /^([!-$&-~]|%[\da-f]{2})+$/i.test(body),
};

const bodyFaults: Record<BodyFormat, string> = {
  json: 'SMS_HTTP_BODY is not JSON; {text}, {phone} and {sender} stand inside of strings, between double quotes.',
  form: 'SMS_HTTP_BODY is not a form, such as to={phone}&text={text}, with other special characters percent-encoded.',
};

type Templates = { url: string; body: string; sender: string | undefined };

function checkPlaceholders(read: Reader, { url, body, sender }: Templates): void {
  const unknown = Object.entries({ SMS_HTTP_URL: url, SMS_HTTP_BODY: body }).filter(([, template]) =>
    hasUnknownPlaceholder(template),
  );
  for (const [name] of unknown)
    read.faults.push(`${name} has a word in braces that is none of {phone}, {digits}, {text} and {sender}.`);
  if (unknown.length > 0) return;
  const both = `${url} ${body}`;
  if (!/\{(phone|digits)\}/.test(both) || !both.includes('{text}'))
    read.faults.push('SMS_HTTP_BODY must contain {text}, and {phone} or {digits}, unless SMS_HTTP_URL does.');
  if (both.includes('{sender}')) read.needed('SMS_HTTP_SENDER', 'a template contains {sender}');
  else if (sender)
    read.faults.push('SMS_HTTP_SENDER has no effect: neither SMS_HTTP_URL nor SMS_HTTP_BODY has {sender}.');
}

function readStatuses(read: Reader): [first: number, last: number][] {
  const value = read.text('SMS_HTTP_STATUSES') ?? '200-299';
  return value.split(',').map((range) => {
    const [, first, last = first] = /^\s*([2-5]\d\d)(?:-([2-5]\d\d))?\s*$/.exec(range) ?? [];
    if (first === undefined || last === undefined || first > last) {
      read.faults.push(
        `SMS_HTTP_STATUSES is "${value}"; it must be a list of statuses and ranges, such as 200,202 or 200-299.`,
      );
    }
    return [Number(first), Number(last)];
  });
}

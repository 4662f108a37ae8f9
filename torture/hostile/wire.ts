/** Hostile headers, paths and methods: the bytes of each request, and the responses that are allowed. */
import { METHODS } from 'node:http';

export type WireRequest = {
  name: string;
  bytes: string | Buffer;
  /** Default: exactly one response, a 4xx. */
  allowed?: (statuses: number[]) => boolean;
};

const host = 'Host: potluck\r\nConnection: close\r\n';
const json = 'Content-Type: application/json\r\n';
const post = `POST /v1/auth/refresh HTTP/1.1\r\n${host}${json}`;
const smuggled = 'GET /v1/categories HTTP/1.1\r\nHost: potluck\r\n\r\n';
/** Exactly one response, and not a 5xx. */
const isSingleNon5xx = (statuses: number[]) => statuses.length === 1 && (statuses[0] ?? 500) < 500;
const closedOr4xx = (statuses: number[]) =>
  statuses.length === 0 ||
  (statuses.length === 1 && (statuses[0] ?? 500) >= 400 && (statuses[0] ?? 500) < 500);

const wireRequest = (bytes: string | Buffer, allowed?: WireRequest['allowed']): WireRequest => ({
  name: JSON.stringify(bytes.toString('latin1').slice(0, 160)),
  bytes,
  ...(allowed && { allowed }),
});

/** Request smuggling: bodies with an ambiguous length, and headers that hide a request in another. */
const smuggling = (): WireRequest[] =>
  [
    'Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x',
    'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
    `Content-Length: 2, 3\r\n\r\n{}x`,
    'Content-Length: +2\r\n\r\n{}',
    'Content-Length: -1\r\n\r\n',
    'Content-Length: 0x2\r\n\r\n{}',
    'Content-Length: 2 3\r\n\r\n{}',
    'Content-Length: 99999999999999999999\r\n\r\n{}',
    'Content-Length: 18446744073709551618\r\n\r\n{}',
    `Content-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked\r\nContent-Length: 6\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding: identity, chunked, chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n0\r\n\r\n`,
    `Transfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n`,
    `Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
    'X: 1\r\n Content-Length: 2\r\n\r\n{}',
    'X: 1\r\n\tfolded\r\nContent-Length: 2\r\n\r\n{}',
    'X: a\0b\r\nContent-Length: 2\r\n\r\n{}',
    'X: a\rb\r\nContent-Length: 2\r\n\r\n{}',
    'X: a\nY: b\r\nContent-Length: 2\r\n\r\n{}',
    'X y: 1\r\nContent-Length: 2\r\n\r\n{}',
    ': empty\r\nContent-Length: 2\r\n\r\n{}',
    'no colon\r\nContent-Length: 2\r\n\r\n{}',
    'Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}',
    'Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}',
  ].map((rest) =>
    wireRequest(post + rest, (statuses) => closedOr4xx(statuses.filter((status) => status !== 100))),
  );

const headers = (): WireRequest[] => {
  const get = (lines: string, path = '/v1/categories') => `GET ${path} HTTP/1.1\r\n${host}${lines}\r\n`;
  const long = 'a'.repeat(20_000);
  return [
    wireRequest(get(`X: ${long}\r\n`)),
    wireRequest(get(`${long}: x\r\n`)),
    wireRequest(get('X: 1\r\n'.repeat(5_000))),
    wireRequest(get(`Cookie: ${'a=b; '.repeat(4_000)}\r\n`)),
    ...[
      'a b',
      '%',
      '[::',
      '',
      'x:y:z',
      'a/b',
      '"',
      '<script>',
      'a\u0000b',
      'x'.repeat(5_000),
      '-1:99999',
    ].map((name) =>
      wireRequest(`GET /docs/ HTTP/1.1\r\nConnection: close\r\nHost: ${name}\r\n\r\n`, isSingleNon5xx),
    ),
    wireRequest('GET /v1/categories HTTP/1.1\r\nConnection: close\r\n\r\n'),
    wireRequest(
      'GET /v1/categories HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      isSingleNon5xx,
    ),
    wireRequest(`GET http://elsewhere.example/v1/categories HTTP/1.1\r\n${host}\r\n`, isSingleNon5xx),
    wireRequest('GET /v1/categories HTTP/9.9\r\nHost: x\r\n\r\n'),
    // HTTP/0.9 has no version; Node parses this as a request without headers.
    wireRequest('GET /v1/categories\r\n\r\n', isSingleNon5xx),
    wireRequest('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    wireRequest('\r\n'.repeat(2_000) + get(''), isSingleNon5xx),
    wireRequest(Buffer.from('16030100a5010000a10303', 'hex')),
    wireRequest(Buffer.from(Array.from({ length: 4_096 }, (_, i) => (i * 167 + 13) % 256))),
    ...[
      'Bearer',
      'Bearer \u0000',
      `Bearer ${'a'.repeat(9_000)}`,
      'Basic YTpi',
      'Bearer pa_é',
      'Bearer pa_../..',
    ].map((value) => wireRequest(get(`Authorization: ${value}\r\n`, '/v1/auth/me'))),
    ...[
      'Accept: */*;q=x',
      'Accept-Encoding: ,,,',
      'Range: bytes=9-1',
      'If-None-Match: "',
      'Origin: null\u00ff',
      'Upgrade: h2c\r\nConnection: Upgrade',
      "X-Forwarded-For: 1.2.3.4, '; drop table users",
      'Accept-Version: 9',
      'X-HTTP-Method-Override: DELETE',
      '__proto__: x',
      'constructor: x',
    ].map((line) => wireRequest(get(`${line}\r\n`), isSingleNon5xx)),
  ];
};

const ids = [
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c',
  '%00',
  '%ff',
  '%c0%ae',
  '%zz',
  '%',
  '%u0041',
  "'",
  '%27%20or%201=1--',
  '1%20union%20select',
  '%0d%0aX-Evil:%201',
  '%E2%80%AE',
  '__proto__',
  'constructor',
  '-0',
  '9223372036854775808',
  'null',
  'undefined',
  'NaN',
  '%F0%9F%A5%98',
  'a'.repeat(8_000),
  '*',
  ';x',
  '$1',
  '{id}',
  ':id',
];

/**
 * Hostile ids and paths. None names a resource, but some are equivalent to an existing path, such as
 * `//v1/events`.
 */
const paths = (): WireRequest[] => {
  const tails = ['', '/', '/items', '/../../..', '//', '/cover.svg', '?', '#x', '/%2e%2e/'];
  const places = ids.flatMap((id) =>
    ['/v1/events/', '/v1/users/', '/v1/items/'].flatMap((stem) => tails.map((tail) => stem + id + tail)),
  );
  const others = [
    '//v1/events',
    '/v1//events',
    '/v1/events//',
    '/./v1/events',
    '/V1/EVENTS',
    '/v1/events;x=1',
    '/v1/events%3Fpage=0',
    '/%76%31/events',
    '*',
    '/\\..\\..',
    `/${'a/'.repeat(7_000)}`,
    `/${'%41'.repeat(5_000)}`,
    '/docs/../../src/main.ts',
    '/docs/js/..%2f..%2f..%2fpackage.json',
    '/docs/js/%2e%2e/%2e%2e/openapi.json',
  ];
  return [...places, ...others].map((path) =>
    wireRequest(`GET ${path} HTTP/1.1\r\n${host}\r\n`, isSingleNon5xx),
  );
};

/** Every method that Node knows and some invalid ones, on every path of the API. */
const methods = (routes: Record<string, string[]>): WireRequest[] =>
  Object.entries(routes).flatMap(([path, known]) =>
    [...METHODS, 'FETCH', 'get', 'GE T', 'BREW', 'X'.repeat(300)]
      .filter((method) => !known.includes(method))
      .map((method) => {
        const isAllowed = (statuses: number[]) =>
          ['HEAD', 'OPTIONS'].includes(method) ? isSingleNon5xx(statuses) : closedOr4xx(statuses);
        return wireRequest(`${method} ${path} HTTP/1.1\r\n${host}Content-Length: 0\r\n\r\n`, isAllowed);
      }),
  );

/** @param routes the methods of each path of the API; the paths contain existing ids */
export const wireRequests = (routes: Record<string, string[]>): WireRequest[] => [
  ...smuggling(),
  ...headers(),
  ...paths(),
  ...methods(routes),
];

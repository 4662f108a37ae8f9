/** Fetches calendars. People choose the addresses, so only public machines are connected to, and nothing of an answer is shown. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { isPublicAddress, lookupAllowed } from '#base';
import { requestSpan } from '#telemetry';
import { CalendarError } from '../calendar-error.ts';
import { maxFileBytes, tooLarge } from '../file-bytes.ts';
import { redirectionOf } from './source-address.ts';

/**
 * The calendar cannot be fetched. All reasons look the same: they would tell which machines of the operator exist. `retryAfter`: what
 * the host said, unless it said nothing.
 */
export class SourceError extends Error {
  retryAfter: string | undefined;
}

/** A host may not be fetched now. */
export class SourceBusy extends Error {
  readonly until: Date;
  constructor(until: Date) {
    super('the host is busy');
    this.until = until;
  }
}

/** For all connections and the whole body. */
const timeoutMs = 20_000;
const maxRedirects = 3;

/** What the host said of the file that was fetched last. */
export type Validators = { etag: string | null; lastModified: string | null };

type FetchOptions = {
  /** An origin that tests may use, wherever it is. */
  testOrigin: string | undefined;
  /** Of the file that is known; the host need not send it again. */
  known?: Validators | undefined;
  /** Counts the request that a redirect leads to, if it is one to another host. @returns until when the host is busy, or null */
  countHost?: (url: URL) => Promise<Date | null>;
};

/** `body`: null if the file is the known one. `type`: the media type that the answer names, without its parameters; empty without one. */
export type FetchedFile = Validators & { body: Buffer | null; type: string };

/** @throws SourceError; SourceBusy; CalendarError for a body that is too long */
export async function fetchSource(
  address: URL,
  { testOrigin, known, countHost }: FetchOptions,
): Promise<FetchedFile> {
  const signal = AbortSignal.timeout(timeoutMs);
  const failure = new SourceError('the address did not answer with a file');
  try {
    let url = address;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      const response = await request(url, { testOrigin, known, signal });
      if (response.statusCode === 200)
        return { ...validatorsOf(response), body: await readBody(response), type: typeOf(response) };
      const { location, 'retry-after': retryAfter } = response.headers;
      response.destroy();
      if (response.statusCode === 304 && known) return { ...known, body: null, type: '' };
      failure.retryAfter = retryAfter;
      const next = isRedirection(response) && location ? redirectionOf(url, location, testOrigin) : null;
      if (!next) break;
      const busyUntil = next.host === url.host ? null : ((await countHost?.(next)) ?? null);
      if (busyUntil) throw new SourceBusy(busyUntil);
      url = next;
    }
  } catch (error) {
    if (error instanceof CalendarError || error instanceof SourceBusy) throw error;
  }
  throw failure;
}

/** A longer value would be no help: it is sent back with each request. */
const maxValidator = 1_000;

const validatorsOf = ({ headers }: IncomingMessage): Validators => ({
  etag: shortOrNull(headers.etag),
  lastModified: shortOrNull(headers['last-modified']),
});

/** Bytes that are no visible ASCII could not be sent back. */
const shortOrNull = (value: string | undefined): string | null =>
  value !== undefined && value.length <= maxValidator && /^[\x20-\x7e]+$/.test(value) ? value : null;

const isRedirection = ({ statusCode = 0 }: IncomingMessage): boolean =>
  [301, 302, 303, 307, 308].includes(statusCode);

const typeOf = ({ headers }: IncomingMessage): string =>
  headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

const headersOf = (known: Validators | undefined): Record<string, string> => ({
  ...headers,
  ...(known?.etag && { 'if-none-match': known.etag }),
  ...(known?.lastModified && { 'if-modified-since': known.lastModified }),
});

const headers = {
  accept: 'text/calendar, text/csv;q=0.9, text/html;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'user-agent': 'Potluck (calendar import)',
};

async function request(
  url: URL,
  {
    testOrigin,
    known,
    signal,
  }: { testOrigin: string | undefined; known: Validators | undefined; signal: AbortSignal },
): Promise<IncomingMessage> {
  const isAllowed = url.origin === testOrigin ? () => true : isPublicAddress;
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  // Node.js connects to an address without the lookup.
  if (isIP(hostname) !== 0 && !isAllowed(hostname)) throw new SourceError('no public address');
  const { request } = url.protocol === 'https:' ? https : http;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // A connection of its own: one of another request could lead to an address that was judged before.
  request(url, { headers: headersOf(known), signal, agent: false, lookup: lookupAllowed(isAllowed) })
    .on('error', reject)
    .on('response', resolve)
    .end();
  await requestSpan('fetch calendar', { method: 'GET', url: url.origin }, async () => ({
    status: (await promise).statusCode ?? 0,
  }));
  return promise;
}

const decoders: Record<string, () => Transform> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The bytes are counted after the decompression, and reading stops above the bound. */
async function readBody(response: IncomingMessage): Promise<Buffer> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decode = decoders[encoding];
  if (!decode && encoding !== 'identity') throw new SourceError('an unknown encoding');
  const body = decode ? decoded(response, decode()) : response;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxFileBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } finally {
    response.destroy();
  }
  if (!response.complete) throw new SourceError('the body is incomplete');
  return Buffer.concat(chunks);
}

/** An error of the response ends the decoder, too. */
function decoded(response: IncomingMessage, decoder: Transform): Readable {
  response.on('error', (error) => decoder.destroy(error)).pipe(decoder);
  return decoder;
}

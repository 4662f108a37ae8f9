/** The client that operations take: an HTTP client with a session, retries and idempotency keys. */
import {
  createConfig,
  createClient as createGeneratedClient,
  type Client as GeneratedClient,
  mergeHeaders,
} from './generated/client/index.ts';
import { idempotentOperations } from './generated/repetitions.ts';
import { refresh } from './generated/sdk.gen.ts';
import type {
  DeleteMeData,
  LogoutData,
  RefreshData,
  SignInByMailData,
  SignInData,
  TokenPair,
} from './generated/types.gen.ts';
import { refuseHtml } from './html-pages.ts';
import { type ListenOptions, listen, type OpenStream } from './listen.ts';
import { toError } from './problem-error.ts';
import { withRenewal } from './renewal.ts';
import { type RetryOptions, type Send, withRetries } from './retry.ts';
import { ClientSession } from './session.ts';
import { memoryStorage, type TokenStorage } from './storage.ts';
import { withTimeLimit } from './time-limit.ts';

export type ClientOptions = {
  /** The address of the server, such as `https://events.example.org`. Default, in browsers: that of the page. */
  baseUrl?: string;
  /** Where the tokens are kept. Default: in memory. */
  storage?: TokenStorage;
  /** Is called after a sign-in, and when the session ends: by `logout`, or because the server ended it. */
  onSessionChange?: (isSignedIn: boolean) => void;
  retry?: Partial<RetryOptions>;
  /** In seconds: how long each attempt waits for the beginning of a response. Default: 60; 0 for no limit. */
  timeLimit?: number;
  /** Headers of every request. */
  headers?: Record<string, string>;
  /** Sends requests. Default: the global `fetch`. */
  fetch?: Send;
};

export type Client = GeneratedClient & {
  readonly session: Pick<ClientSession, 'isSignedIn' | 'accessToken' | 'end'>;
};

/** In ms. The server accepts a repeated refresh for ten seconds. */
const refreshTimeoutMs = 10_000;

/**
 * Creates the client of one person. `signIn`, `refresh` and `logout` store and remove its tokens. On a server
 * that acts for several people, each needs a client.
 */
export function createClient(options: ClientOptions = {}): Client {
  const { storage = memoryStorage(), onSessionChange, retry, headers = {} } = options;
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const send = refuseHtml(withTimeLimit(fetch, options.timeLimit ?? 60));
  // A path begins with a slash.
  const baseUrl = options.baseUrl?.replace(/\/$/, '') ?? '';
  const config = { baseUrl, headers, throwOnError: true } as const;

  // A lost response must not end the session, so a refresh is repeated although it is a POST.
  const anonymous = createGeneratedClient(
    createConfig({ ...config, fetch: asFetch(withRetries(send, retry, () => true)) }),
  );
  throwProblems(anonymous);
  const session = new ClientSession({
    storage,
    onSessionChange,
    async refresh(refreshToken) {
      const signal = AbortSignal.timeout(refreshTimeoutMs);
      const { data } = await refresh({ client: anonymous, body: { refreshToken }, signal });
      return data;
    },
  });

  const client = createGeneratedClient(
    createConfig({
      ...config,
      auth: () => session.accessToken(),
      fetch: asFetch(withRenewal(withRetries(send, retry), session)),
    }),
  );
  throwProblems(client);
  addIdempotencyKeys(client);
  storeTokens(client, session);
  client.sse.get = resumable(client);
  return Object.assign(client, { session });
}

/** The generated client always passes a Request. */
const asFetch = (send: Send): typeof fetch => send as typeof fetch;

function throwProblems(client: GeneratedClient): void {
  client.interceptors.error.use(toError);
}

/** Adds a key to each request that accepts one and has none. All attempts of a request have the same key. */
function addIdempotencyKeys(client: GeneratedClient): void {
  client.interceptors.request.use((request, { method, url }) => {
    const accepts = idempotentOperations.includes(`${method} ${url}`);
    if (accepts && !request.headers.has('idempotency-key'))
      request.headers.set('idempotency-key', randomKey());
    return request;
  });
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The operations that begin or renew a session, and those that end it. */
const beginning: readonly string[] = [
  'POST /v1/auth/otp/verify' satisfies `POST ${SignInData['url']}`,
  'POST /v1/auth/email/verify' satisfies `POST ${SignInByMailData['url']}`,
  'POST /v1/auth/refresh' satisfies `POST ${RefreshData['url']}`,
];
const ending: readonly string[] = [
  'POST /v1/auth/logout' satisfies `POST ${LogoutData['url']}`,
  'DELETE /v1/me' satisfies `DELETE ${DeleteMeData['url']}`,
];

function storeTokens(client: GeneratedClient, session: ClientSession): void {
  client.interceptors.response.use(async (response, _request, { method, url }) => {
    const operation = `${method} ${url}`;
    if (response.ok && beginning.includes(operation))
      await session.begin((await response.clone().json()) as TokenPair);
    if (response.ok && ending.includes(operation)) await session.end();
    return response;
  });
}

type SseGet = GeneratedClient['sse']['get'];
type StreamOptions = Omit<Parameters<SseGet>[0], 'onSseEvent'> & ListenOptions;

/** Replaces the generated reader of streams, which neither refreshes tokens nor reports problems. */
function resumable(client: GeneratedClient): SseGet {
  const get = async ({ onSseEvent, ...options }: StreamOptions) => {
    const open: OpenStream = async (lastId) => {
      const headers = mergeHeaders(options.headers, { 'Last-Event-ID': lastId });
      const request = { ...options, headers, parseAs: 'stream', throwOnError: true } as const;
      const { data } = await client.get<ReadableStream<Uint8Array>, unknown, true>(request);
      return data;
    };
    return { stream: listen(open, { onSseEvent, ...options }) };
  };
  return get as unknown as SseGet;
}

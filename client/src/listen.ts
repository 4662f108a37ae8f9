/** Live events: reads a stream, and reconnects where it was interrupted. */
import { readMessages, type StreamMessage } from './event-stream.ts';
import { ResponseError } from './problem-error.ts';
import { sleep } from './sleep.ts';

/** The server sends something every 15 seconds. */
const idleMs = 45_000;
/** A connection that lasts for less has failed, whatever it sent: its end does not begin the delays anew. */
const steadyMs = 10_000;

/** The names are those of the options of generated operations. */
export type ListenOptions = {
  signal?: AbortSignal | null | undefined;
  /** `once` asks for the current state alone. */
  query?: { once?: unknown } | undefined;
  onSseEvent?: ((message: StreamMessage) => void) | undefined;
  /** Is called with the reason of each reconnection that was not planned. */
  onSseError?: ((error: unknown) => void) | undefined;
  /** In ms; default: 1,000, until the server sends another one. */
  sseDefaultRetryDelay?: number | undefined;
  /** In ms; default: 30,000. */
  sseMaxRetryDelay?: number | undefined;
  /** How many connections in a row may fail or end within ten seconds, before an error is thrown. Default: no limit. */
  sseMaxRetryAttempts?: number | undefined;
};

/** Requests the stream after the message `lastId`. @throws ResponseError, and the errors of `fetch` */
export type OpenStream = (lastId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

type State = {
  lastId: string | undefined;
  /** In ms: the delay that the server asked for last. */
  retryMs: number;
  /** When the current connection began, in ms; `Infinity` before its response. */
  openedAt: number;
  /** Whether the server has ended it. */
  isGone: boolean;
};

/**
 * Yields messages until `signal` is aborted. `listenToEvent` calls it; a page whose session is a cookie needs nothing else
 * of the client. An interrupted stream continues after the last message with an
 * id, and begins with the whole state if that message is not current.
 * @throws ResponseError if the server refuses the stream
 */
export async function* listen<Message extends StreamMessage>(
  open: OpenStream,
  options: ListenOptions,
): AsyncGenerator<Message, void, void> {
  const { signal, onSseError, sseMaxRetryDelay = 30_000 } = options;
  const { sseDefaultRetryDelay: retryMs = 1_000, sseMaxRetryAttempts = Number.POSITIVE_INFINITY } = options;
  const state: State = { lastId: undefined, retryMs, openedAt: Number.POSITIVE_INFINITY, isGone: false };
  /** Connections in a row that failed or did not last. */
  let failures = 0;
  while (!signal?.aborted) {
    let failure: unknown;
    try {
      yield* connect<Message>(open, options, state);
      if (options.query?.once && !state.isGone) return;
    } catch (error) {
      failure = error;
    }
    if (signal?.aborted) return;
    failures = Date.now() - state.openedAt >= steadyMs ? 1 : failures + 1;
    if (failure !== undefined) {
      if (isRefusal(failure) || failures > sseMaxRetryAttempts) throw failure;
      onSseError?.(failure);
    }
    // `gone` ends a stream whose token has expired, or whose subject is not visible any more: the next request
    // has a new token, or is refused with the reason.
    if (state.isGone && failures === 1) continue;
    await sleepQuietly(delay(failures, state.retryMs, sseMaxRetryDelay) + askedDelay(failure), signal);
  }
}

/** Yields the messages of one connection until it ends. @throws the errors of `open` and `readMessages` */
async function* connect<Message extends StreamMessage>(
  open: OpenStream,
  { signal, onSseEvent }: ListenOptions,
  state: State,
): AsyncGenerator<Message, void, void> {
  Object.assign(state, { openedAt: Number.POSITIVE_INFINITY, isGone: false });
  const body = await open(state.lastId);
  state.openedAt = Date.now();
  const onRetry = (ms: number) => {
    state.retryMs = ms;
  };
  for await (const message of readMessages(body, { idleMs, onRetry, signal })) {
    state.lastId = message.id ?? state.lastId;
    state.isGone = message.event === 'gone';
    if (state.isGone) return;
    onSseEvent?.(message);
    // The types of messages come from the API document.
    yield message as Message;
  }
}

/** The same request would be refused again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ResponseError && error.status < 500 && error.status !== 408 && error.status !== 429;

/**
 * After the first failure the server's own delay, which differs between clients; then up to twice as much each, so that
 * clients that failed together do not return together.
 */
function delay(failures: number, retryMs: number, maxMs: number): number {
  const longest = Math.min(retryMs * 2 ** (failures - 1), maxMs);
  return Math.max(Math.min(retryMs, maxMs), longest * (0.5 + Math.random() / 2));
}

/** What `Retry-After` of a refusal asks for, in ms. */
const askedDelay = (failure: unknown): number =>
  failure instanceof ResponseError ? (failure.retryAfter ?? 0) * 1_000 : 0;

const sleepQuietly = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  sleep(ms, signal).catch(() => {});

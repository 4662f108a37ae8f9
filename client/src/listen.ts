/** Live events: reads a stream, and reconnects where it was interrupted. */
import { readMessages, type StreamMessage } from './event-stream.ts';
import { ResponseError } from './problem-error.ts';
import { sleep } from './sleep.ts';

/** The server sends something every 15 seconds. */
const idleMs = 45_000;

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
  /** How many attempts in a row may fail. Default: no limit. */
  sseMaxRetryAttempts?: number | undefined;
};

/** Requests the stream after the message `lastId`. @throws ResponseError, and the errors of `fetch` */
export type OpenStream = (lastId: string | undefined) => Promise<ReadableStream<Uint8Array>>;

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
  const { signal, onSseError, onSseEvent, sseMaxRetryDelay = 30_000 } = options;
  const { sseMaxRetryAttempts = Number.POSITIVE_INFINITY } = options;
  let retryMs = options.sseDefaultRetryDelay ?? 1_000;
  const onRetry = (ms: number) => {
    retryMs = ms;
  };
  let lastId: string | undefined;
  let failures = 0;
  while (!signal?.aborted) {
    let isGone = false;
    try {
      const body = await open(lastId);
      failures = 0;
      for await (const message of readMessages(body, { idleMs, onRetry, signal })) {
        lastId = message.id ?? lastId;
        isGone = message.event === 'gone';
        if (isGone) break;
        onSseEvent?.(message);
        // The types of messages come from the API document.
        yield message as Message;
      }
      if (options.query?.once && !isGone) return;
    } catch (error) {
      if (signal?.aborted) return;
      failures++;
      if (isRefusal(error) || failures > sseMaxRetryAttempts) throw error;
      onSseError?.(error);
    }
    // `gone` ends a stream whose token has expired, or whose subject is not visible any more: the next request
    // has a new token, or is refused with the reason.
    if (!isGone) await sleepQuietly(delay(failures, retryMs, sseMaxRetryDelay), signal);
  }
}

/** The same request would be refused again. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ResponseError && error.status < 500 && error.status !== 408 && error.status !== 429;

/** After the first failure the server's own delay, which differs between clients; then twice as much each. */
const delay = (failures: number, retryMs: number, maxMs: number): number =>
  Math.min(retryMs * 2 ** Math.max(0, failures - 1), maxMs);

const sleepQuietly = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  sleep(ms, signal).catch(() => {});

/** Sends a message to a collector, by OTLP over HTTP with JSON. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { context, createContextKey } from '@opentelemetry/api';
import type { Destination } from '../options.ts';

/** `lost`: items that the collector refused. `retryAfterMs`: the message may be sent again, after this time at the earliest. */
export type Outcome = { lost: number; reason: string; retryAfterMs?: number };

const compress = promisify(gzip);
/** The statuses with which a collector asks to repeat a message. */
const temporary = new Set([429, 502, 503, 504]);
const maxRetryAfterMs = 300_000;

/** An SDK makes no spans below this mark, which it sets for its own requests to a collector. */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

export async function post(
  { url, headers, timeoutMs, isCompressed }: Destination,
  message: object,
  stop: AbortSignal,
): Promise<Outcome> {
  const json = JSON.stringify(message);
  try {
    const body = isCompressed ? await compress(json) : json;
    const send = () =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(isCompressed && { 'content-encoding': 'gzip' }),
          ...headers,
        },
        body,
        // The headers may contain a key.
        redirect: 'manual',
        signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      });
    const response = await context.with(context.active().setValue(suppressed, true), send);
    const text = await response.text();
    const reason = `status ${response.status}`;
    if (response.ok) return { lost: countRejected(text), reason: 'the collector rejected a part' };
    if (!temporary.has(response.status)) return { lost: Number.POSITIVE_INFINITY, reason };
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    return { lost: 0, reason, retryAfterMs: seconds > 0 ? Math.min(seconds * 1_000, maxRetryAfterMs) : 0 };
  } catch (error) {
    return { lost: 0, reason: reasonOf(error as Error), retryAfterMs: 0 };
  }
}

/** The field of a partial success is named after the signal: `rejectedSpans`. */
function countRejected(text: string): number {
  const { partialSuccess } = parseObject(text) as { partialSuccess?: Record<string, unknown> };
  const [, count] = Object.entries(partialSuccess ?? {}).find(([key]) => key.startsWith('rejected')) ?? [];
  return Number(count) || 0;
}

function parseObject(text: string): object {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The code of the connection's error stands in the cause of the error of `fetch`. */
const reasonOf = ({ name, cause }: Error): string =>
  (cause as NodeJS.ErrnoException | undefined)?.code ?? name;

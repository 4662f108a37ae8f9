/** Repeats requests that failed for the moment, if repeating them is safe. */
import { repeatablePosts } from './generated/repetitions.ts';
import { readRetryAfter } from './retry-after.ts';
import { sleep } from './sleep.ts';

export type RetryOptions = {
  /** How often a request is sent at most. Default: 4. */
  attempts: number;
  /** In seconds. If `Retry-After` is longer, the request fails immediately. Default: 30. */
  maxWait: number;
};

export type Send = (request: Request) => Promise<Response>;

/** Methods that have the same effect however often a request arrives (RFC 9110, section 9.2.2). */
const idempotentMethods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'];

const isIdempotent = ({ method, url, headers }: Request): boolean =>
  idempotentMethods.includes(method) ||
  headers.has('idempotency-key') ||
  (method === 'POST' && repeatablePosts.test(new URL(url).pathname));

/**
 * Repeats idempotent requests after a lost connection, and after responses that ask for a retry.
 * @param mayRepeat which requests may be repeated
 */
export function withRetries(
  send: Send,
  { attempts = 4, maxWait = 30 }: Partial<RetryOptions> = {},
  mayRepeat = isIdempotent,
): Send {
  return async (request) => {
    if (!mayRepeat(request)) return send(request);
    /** Whether the server may have carried out an earlier attempt. */
    let mayHaveRun = false;
    for (let attempt = 1; attempt < attempts; attempt++) {
      const response = await send(request.clone()).catch((error: unknown) => {
        if (request.signal.aborted) throw error;
        return null;
      });
      const wait = response ? await secondsToWait(response, attempt) : backoff(attempt);
      if (response && (wait === null || wait > maxWait))
        return mayHaveRun ? withoutRepeatedRemoval(request, response) : response;
      mayHaveRun ||= !response || response.status >= 500;
      await response?.body?.cancel();
      await sleep((wait ?? 0) * 1000, request.signal);
    }
    const last = await send(request);
    return mayHaveRun ? withoutRepeatedRemoval(request, last) : last;
  };
}

/**
 * A DELETE that removed its object and lost its response finds nothing when it is repeated. The object is gone, as the
 * caller wanted, so the 404 becomes the response of a removal. Operations that remove a relation to a person are
 * repeatable by themselves; their `user_not_found` means that there is no such account, so it stays.
 */
async function withoutRepeatedRemoval(request: Request, response: Response): Promise<Response> {
  if (request.method !== 'DELETE' || response.status !== 404) return response;
  const code = /"code":"(\w+)_not_found"/.exec(await response.clone().text())?.[1];
  if (code === undefined || code === 'user' || code === 'route') return response;
  await response.body?.cancel();
  return Response.json({ success: true });
}

/** In seconds, about 0.25, 0.5, 1 …: clients that failed together do not return together. */
const backoff = (attempt: number): number => 0.25 * 2 ** (attempt - 1) * (0.5 + Math.random());

/** Returns null for a final response. */
async function secondsToWait(response: Response, attempt: number): Promise<number | null> {
  const { status } = response;
  // A gateway sends 502 and 504 while a server restarts.
  const isTemporary = [429, 502, 503, 504].includes(status) || (await isKeyInUse(response));
  return isTemporary ? (readRetryAfter(response) ?? backoff(attempt)) : null;
}

/** The first request with this key is still running, for example because its connection was cut. */
async function isKeyInUse(response: Response): Promise<boolean> {
  if (response.status !== 409) return false;
  const text = await response.clone().text();
  return text.includes('"idempotency_key_in_use"');
}

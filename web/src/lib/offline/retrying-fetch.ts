/**
 * Repeats requests of pages while the server is busy or out of reach, so that a form succeeds a little later, and a
 * page that reloads its data by itself stays as it is until they are there.
 */
import { connection } from '#lib/offline/connection.svelte.ts';
import { page } from '$app/state';

type Fetch = typeof fetch;

const maxAttempts = 4;
/** In seconds. A visitor who waits for longer is told that it did not work. */
const maxWait = 30;
/** Statuses of a server that is busy, and of a gateway while a server restarts. */
const temporary = [429, 502, 503, 504];

/** Wraps the `fetch` of the window. Requests of the API are left alone: the client repeats its own. */
export function withRetries(send: Fetch): Fetch {
  let latestReload = {};

  /** Sends a form. A server that was too busy says when it can be sent again; the key makes that safe. */
  async function sendForm(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('idempotency-key', randomKey());
    for (let attempt = 1; ; attempt++) {
      const response = await send(input, { ...init, headers });
      const asked = response.status === 503 ? readRetryAfter(response) : null;
      if (asked === null || asked > maxWait || attempt === maxAttempts) return response;
      await waitVisibly(backoff(attempt, asked));
    }
  }

  /**
   * Loads the data of a page: of the one that is shown, until there are data or the page asks for newer ones; of
   * another one, a few times.
   */
  async function loadData(address: string, input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const own = {};
    const isShown = () => address === addressOf(page.url);
    if (isShown()) {
      latestReload = own;
      // The page is newer than what the service worker has stored.
      init = { ...init, cache: 'no-store' };
    }
    for (let attempt = 1; ; attempt++) {
      const outcome = await send(input, init).catch((error: unknown) => ({ error }));
      const isResponse = outcome instanceof Response;
      if (isResponse && !temporary.includes(outcome.status)) return outcome;
      const asked = (isResponse && readRetryAfter(outcome)) || 0;
      const isReload = isShown() && latestReload === own;
      if (!isReload && (attempt === maxAttempts || asked > maxWait || !navigator.onLine)) {
        if (isResponse) return outcome;
        throw outcome.error;
      }
      await waitVisibly(backoff(attempt, asked));
    }
  }

  return (input, init) => {
    if (new Headers(init?.headers).has('x-sveltekit-action')) return sendForm(input, init);
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    if (!url.pathname.endsWith(dataSuffix)) return send(input, init);
    return loadData(addressOf(url), input, init);
  };
}

const dataSuffix = '/__data.json';

type Address = { pathname: string; searchParams: Iterable<[string, string]> };

/** The path and the query of a page, from its own address or from that of its data. */
function addressOf({ pathname, searchParams }: Address): string {
  const query = new URLSearchParams([...searchParams]);
  for (const name of [...query.keys()]) if (name.startsWith('x-sveltekit-')) query.delete(name);
  const path = pathname.endsWith(dataSuffix) ? pathname.slice(0, -dataSuffix.length) || '/' : pathname;
  return `${path}?${query}`;
}

/** In seconds; null if the response does not say when to try again. */
function readRetryAfter({ headers }: Response): number | null {
  const value = headers.get('retry-after');
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/**
 * In seconds: 1, 2, 4 … 30, or what the server has asked for if that is longer, and up to half as much again, so that pages
 * that failed together do not return together.
 */
const backoff = (attempt: number, asked: number): number =>
  Math.max(asked, Math.min(maxWait, 2 ** (attempt - 1))) * (1 + Math.random() / 2);

/** Waits, while the page says that the server is busy. */
async function waitVisibly(seconds: number): Promise<void> {
  connection.waiting++;
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  connection.waiting--;
}

/** 128 random bits. `crypto.randomUUID` is missing on pages without HTTPS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

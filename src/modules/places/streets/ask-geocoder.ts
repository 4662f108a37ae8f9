/** Requests to the geocoder of the operator. */
import { readFileSync } from 'node:fs';
import { requestSpan } from '#telemetry';
import type { GeocoderConfig } from './config.ts';
import { type Dialect, dialects, readStreets, type Street } from './dialects.ts';

const timeoutMs = 5_000;
const maxBytes = 256 * 1024;

const { version } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** The answer is none of a geocoder, is too large, or did not come. No message has a word of what was searched for. */
export class GeocoderError extends Error {}

/** An address may be that of a search, such as `…/search` or `…/api`, or that of the server. */
function dialectsOf(url: string): { address: string; dialect: Dialect }[] {
  const all = Object.values(dialects);
  const named = all.find(({ path }) => url.endsWith(path));
  if (named) return [{ address: url, dialect: named }];
  return all.map((dialect) => ({ address: url + dialect.path, dialect }));
}

/**
 * Asks the geocoder once. Which of the two an address without a path leads to, the answers tell.
 * @param nth which of its possible forms is asked for
 * @returns null if it is not of this form, and another one is possible
 * @throws GeocoderError
 */
export async function askGeocoder(
  { url }: GeocoderConfig,
  { q, nth, publicUrl }: { q: string; nth: number; publicUrl: string },
): Promise<Street[] | null> {
  const forms = dialectsOf(url);
  const { address, dialect } = forms[nth % forms.length] ?? {};
  if (!address || !dialect) throw new GeocoderError('has no address');
  const target = `${address}?${new URLSearchParams(dialect.query(q))}`;
  const { status, text } = await read(target, address, publicUrl);
  const streets = status === 200 ? readStreets(parse(text)) : null;
  if (streets) return streets;
  if (nth + 1 < forms.length && status < 429) return null;
  throw new GeocoderError(`answered with the status ${status}`);
}

/** The span has the address without the query. */
async function read(
  target: string,
  address: string,
  publicUrl: string,
): Promise<{ status: number; text: string }> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await requestSpan('search a street', { method: 'GET', url: address }, () =>
      fetch(target, {
        headers: { accept: 'application/json', 'user-agent': `Potluck/${version} (+${publicUrl})` },
        // A redirect could lead anywhere.
        redirect: 'manual',
        signal,
      }),
    );
    return { status: response.status, text: await readBody(response) };
  } catch (error) {
    if (error instanceof GeocoderError) throw error;
    throw new GeocoderError(signal.aborted ? 'did not answer in time' : 'could not be reached');
  }
}

async function readBody({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new GeocoderError('answered with more than 256 kB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

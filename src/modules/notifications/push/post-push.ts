/** Sends requests to push services. Users choose the addresses, so only public ones are connected to. */
import https from 'node:https';
import { isIP } from 'node:net';
import { isPublicAddress, lookupAllowed, noPublicAddress } from '#base';
import { requestSpan } from '#telemetry';

export type PushRequest = {
  endpoint: string;
  headers: Record<string, string | number>;
  body: Buffer;
};
/** `retryAfter`: the header, if the response has it. */
export type PushResponse = { status: number; retryAfter: string | undefined };
export type PostPush = (request: PushRequest) => Promise<PushResponse>;

/** The time for connecting, the request and the whole response. */
const timeoutMs = 5_000;

/**
 * Creates a function that posts to push services. It does not follow redirects, and discards the body of the
 * response. It rejects if the host has no allowed address, cannot be reached, or takes too long.
 * @param options for tests: the allowed addresses, and the certificate of an authority
 */
export function createPostPush({
  isAllowed = isPublicAddress,
  ca,
}: {
  isAllowed?: (address: string) => boolean;
  ca?: string;
} = {}): PostPush {
  const agent = new https.Agent({
    keepAlive: true,
    maxSockets: 8,
    maxTotalSockets: 32,
    lookup: lookupAllowed(isAllowed),
    ...(ca !== undefined && { ca }),
  });
  const send: PostPush = async ({ endpoint, headers, body }) => {
    const url = new URL(endpoint);
    const hostname = url.hostname.replace(/^\[|\]$/g, '');
    // Node.js connects to an address without the lookup.
    if (isIP(hostname) !== 0 && !isAllowed(hostname)) throw noPublicAddress(hostname);
    const { promise, resolve, reject } = Promise.withResolvers<PushResponse>();
    https
      .request(url, { method: 'POST', headers, agent, signal: AbortSignal.timeout(timeoutMs) })
      .on('error', reject)
      .on('response', (response) => {
        response.on('error', () => {}).resume();
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] });
      })
      .end(body);
    return promise;
  };
  return ({ endpoint, headers, body }) =>
    requestSpan('send push', { method: 'POST', url: endpoint }, (traceHeaders) =>
      send({ endpoint, headers: { ...traceHeaders, ...headers }, body }),
    );
}

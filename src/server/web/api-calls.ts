/** Requests of pages that this process renders to the API: what they change, and files. They read JSON without requests (page-reads.ts). */
import type { FastifyRequest } from 'fastify';
import inject, { type InjectOptions } from 'light-my-request';
import { runAsPageCall } from '../../http/admission.ts';
import type { App } from '../../http/app.ts';

/** Sends a request to the API of this server. */
export type FetchApi = (request: Request) => Promise<Response>;

/** Headers of the visitor's request that the API reads: for the list of devices, against CSRF, and for the language of messages. */
const visitorHeaders = ['user-agent', 'origin', 'sec-fetch-site', 'accept-language'] as const;

/**
 * Returns a function that sends requests in place of the visitor: from the visitor's address, and for forms
 * with the headers that prove which site sent the form. A page that is opened from another site shows the
 * visitor's own data, so its reads have none of these headers (decision 42).
 * @param onChange is called when a request may have changed something
 */
export const createApiCalls =
  (app: App, page: FastifyRequest, onChange: () => void): FetchApi =>
  async (request) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const headers: Record<string, string> = {
      ...Object.fromEntries(request.headers),
      // The log and the visitor see one id for the page and for its calls.
      'x-request-id': page.id,
    };
    for (const name of isRead ? (['user-agent'] as const) : visitorHeaders) {
      const value = page.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const { pathname, search } = new URL(request.url);
    const body = Buffer.from(await request.arrayBuffer());
    const response = await runAsPageCall(async () =>
      // `app.inject` refuses calls once the app closes, when the pages that have begun still need them.
      inject(app.routing, {
        method: request.method as NonNullable<InjectOptions['method']>,
        url: pathname + search,
        headers,
        // For a visitor who is gone, Node.js has no address, and `inject` would take that of this machine.
        remoteAddress: page.ip ?? 'unknown',
        ...(body.length > 0 && { payload: body }),
      }),
    );
    if (!isRead) onChange();
    const { statusCode: status, rawPayload } = response;
    return new Response(isBodyless(status) ? null : new Uint8Array(rawPayload), {
      status,
      headers: toHeaders(response.headers),
    });
  };

/** Statuses with which `Response` accepts no body. */
const isBodyless = (status: number): boolean => status === 204 || status === 205 || status === 304;

/** The headers of Node.js in the form of the web platform. */
export function toHeaders(values: Record<string, number | string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(values)) {
    for (const line of [value ?? []].flat()) headers.append(name, String(line));
  }
  return headers;
}

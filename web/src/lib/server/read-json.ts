/** Reads JSON from the API inside the process, without requests. */
import { type Client, type Problem, ProblemError } from '@potluck/client';
import { isTemporary } from './submission.ts';
import type { VisitorCookies } from './visitor-cookies.ts';

/** When the API can be asked again, if it was too busy. */
export type Waiting = { retryAfter: string | null };

type Options = {
  url: string;
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
};

/** The `get` of a client: all operations that read JSON call it. */
export const readJson = (platform: App.Platform, cookies: VisitorCookies, waiting: Waiting): Client['get'] =>
  (async ({ url, path, query, headers: own }: Options) => {
    const read = {
      path: url,
      ...(path && { params: path }),
      ...(query && { query }),
      ...(own && { headers: own }),
    };
    const { status, headers, json } = await platform.readApi(read, cookies.header);
    const data: unknown = JSON.parse(`${json}`);
    const toResponse = () => new Response(null, { status, headers: headers as Record<string, string> });
    if (status === 200) {
      return {
        data,
        /** Few pages need it. */
        get response() {
          return toResponse();
        },
      };
    }
    if (isTemporary(status)) waiting.retryAfter = `${headers['retry-after']}`;
    throw new ProblemError(data as Problem, toResponse());
  }) as unknown as Client['get'];

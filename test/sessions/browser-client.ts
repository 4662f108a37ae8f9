/** A browser that is signed in to a test server: its requests carry the cookie of a browser session. */
import assert from 'node:assert/strict';
import { fromPage, nextPhone, requestCode, signInBrowser } from '../support/factories.ts';
import type { ApiResponse, TestApp } from '../support/setup.ts';

export type Browser = { phone: string; cookie: string };

/** Signs in with a browser session and returns the response. */
export async function signInAt(
  server: TestApp,
  phone: string,
  headers: Record<string, string> = fromPage,
): Promise<ApiResponse> {
  const body = { phone, code: await requestCode(server, phone) };
  return server.call('POST', '/v1/auth/browser-session', { body, headers });
}

/** Whether the response removes the cookie. */
export const isCleared = ({ headers }: ApiResponse): boolean =>
  /^[^=]+=; Max-Age=0; /.test(headers.get('set-cookie') ?? '');

/** Returns functions for browsers that are signed in to `server`. */
export function browsersOf(server: TestApp) {
  return {
    openBrowser: async (phone = nextPhone()): Promise<Browser> => ({
      phone,
      cookie: await signInBrowser(server, phone),
    }),
    /** Sends a request of a page, with the cookie. */
    send: ({ cookie }: Browser, method: string, path: string, body?: unknown, on = server) =>
      on.call(method, path, { body, headers: { cookie, ...fromPage } }),
    /** The session row of a browser. `xmin` changes with each write. */
    async rowOf({ cookie }: Browser) {
      const bytes = Buffer.from(cookie.split('=pb_')[1] ?? '', 'base64url');
      const id = bytes.subarray(16, 32).toString('hex');
      const [row] = await server.sql<
        { xmin: string; userId: string; id: string; refreshedAt: Date; expiresAt: Date; endsAt: Date }[]
      >`select xmin::text, user_id, id, refreshed_at, access_expires_at as expires_at, ends_at
        from sessions where id = ${id}::uuid`;
      assert.ok(row);
      return row;
    },
  };
}

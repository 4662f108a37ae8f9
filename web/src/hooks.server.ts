import { type Client, createClient, getMe, isProblem, logout, type Me } from '@potluck/client';
import type { Handle } from '@sveltejs/kit/hooks';
import { getTextDirection } from '#lib/paraglide/runtime.js';
import { paraglideMiddleware } from '#lib/paraglide/server.js';
import { VisitorCookies } from '#lib/server/visitor-cookies.ts';

export const handle: Handle = async ({ event, resolve }) => {
  const cookies = new VisitorCookies(event.request.headers.get('cookie'));
  event.locals.api = createApi(event, cookies);
  event.locals.me = cookies.hasSession ? await findMe(event.locals.api) : null;
  const response = await paraglideMiddleware(event.request, ({ locale }) =>
    resolve(event, {
      transformPageChunk: ({ html }) =>
        html.replace(
          '<html lang="en" dir="ltr">',
          `<html lang="${locale}" dir="${getTextDirection(locale)}">`,
        ),
    }),
  );
  for (const cookie of cookies.changed) response.headers.append('set-cookie', cookie);
  return response;
};

/** A client of the API inside this process. It has the visitor's cookie, and passes cookies of responses on. */
function createApi({ url, platform }: Parameters<Handle>[0]['event'], cookies: VisitorCookies): Client {
  return createClient({
    baseUrl: url.origin,
    // A visitor who waits does better with an error page that can be loaded again.
    retry: { attempts: 1 },
    async fetch(request) {
      if (!platform) throw new Error('Pages need the server of Potluck.');
      if (cookies.header) request.headers.set('cookie', cookies.header);
      const response = await platform.fetchApi(request);
      cookies.apply(response.headers.getSetCookie());
      return response;
    },
  });
}

async function findMe(api: Client): Promise<Me | null> {
  try {
    return (await getMe({ client: api })).data;
  } catch (error) {
    if (isProblem(error, 'account_suspended')) return null;
    if (!isProblem(error, 'token_invalid')) throw error;
    // The session has ended. Its response removes the cookie.
    await logout({ client: api }).catch(() => {});
    return null;
  }
}

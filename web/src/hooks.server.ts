import { type Client, createClient, getMe, isProblem, logout, type Me } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import type { Handle } from '@sveltejs/kit/hooks';
import { getTextDirection } from '#lib/paraglide/runtime.js';
import { paraglideMiddleware } from '#lib/paraglide/server.js';
import { VisitorCookies } from '#lib/server/visitor-cookies.ts';

/** What suspended people can open: the API permits them to export and delete their data, and to sign out. */
const pagesForSuspended = [
  '/suspended',
  '/settings/delete',
  '/sign-out',
  '/goodbye',
  '/language',
  '/offline',
];

export const handle: Handle = async ({ event, resolve }) => {
  const cookies = new VisitorCookies(event.request.headers.get('cookie'));
  event.locals.api = createApi(event, cookies);
  Object.assign(event.locals, await findSession(event.locals.api, cookies));
  if (event.locals.session === 'suspended' && !pagesForSuspended.includes(event.url.pathname))
    redirect(303, '/suspended');
  const response = await paraglideMiddleware(event.request, ({ locale }) =>
    resolve(event, {
      transformPageChunk: ({ html }) =>
        html.replace(
          '<html lang="en" dir="ltr">',
          `<html lang="${locale}" dir="${getTextDirection(locale)}">`,
        ),
    }),
  );
  if (event.locals.foreignSource) allowSource(response.headers, event.locals.foreignSource);
  for (const cookie of cookies.changed) response.headers.append('set-cookie', cookie);
  return response;
};

/** Adds an address to those that the page's scripts may load. */
function allowSource(headers: Headers, address: string): void {
  const { origin, pathname } = new URL(address);
  // These characters end a source in a policy.
  const path = pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
  const name = 'content-security-policy';
  const policy = headers.get(name);
  if (policy)
    headers.set(
      name,
      policy.replace("connect-src 'self'", (own) => `${own} ${origin}${path}`),
    );
}

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

async function findSession(
  api: Client,
  cookies: VisitorCookies,
): Promise<{ me: Me | null; session: App.Locals['session'] }> {
  if (!cookies.hasSession) return { me: null, session: 'none' };
  try {
    return { me: (await getMe({ client: api })).data, session: 'active' };
  } catch (error) {
    if (isProblem(error, 'account_suspended')) return { me: null, session: 'suspended' };
    if (!isProblem(error, 'token_invalid')) throw error;
    // The response removes the cookie. The API refuses that for a page that another site or the address bar
    // opened; the page is made without the cookie then.
    await logout({ client: api }).catch(() => {});
    cookies.forget();
    return { me: null, session: 'ended' };
  }
}

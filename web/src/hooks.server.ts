import { type Client, createClient, getMe, isProblem } from '@potluck/client';
import { type RequestEvent, redirect } from '@sveltejs/kit';
import type { Handle, HandleServerError } from '@sveltejs/kit/hooks';
import { countsTwelveHours, directionOf, findLanguage } from '#lib/language/languages.ts';
import { offlinePath } from '#lib/offline/stored-pages.ts';
import { refuse, toPageError } from '#lib/server/problems.ts';
import { readJson, type Waiting } from '#lib/server/read-json.ts';
import { withLanguage } from '#lib/server/request-language.ts';
import { hasTemporaryError, isTemporary, useFormKey } from '#lib/server/submission.ts';
import { VisitorCookies } from '#lib/server/visitor-cookies.ts';

const policyHeader = 'content-security-policy';

/**
 * What suspended people can open: the API permits them to export and delete their data, and to sign out. If the suspension
 * has ended their session, they learn why, and sign in again for the rest.
 */
const openPages: Partial<Record<App.Locals['session'], string[]>> = {
  suspended: [
    '/suspended',
    '/unsubscribe',
    '/settings/delete',
    '/sign-in/oidc',
    '/sign-out',
    '/goodbye',
    '/language',
  ],
  endedBySuspension: [
    '/suspended',
    '/unsubscribe',
    '/sign-in',
    '/sign-in/link',
    '/sign-in/oidc',
    '/sign-out',
    '/goodbye',
    '/language',
  ],
};

export const handle: Handle = async ({ event, resolve }) => {
  const { platform } = event;
  if (!platform) throw new Error('Pages need the server of Potluck.');
  const cookies = new VisitorCookies(event.request.headers.get('cookie'), platform.sessionCookie);
  const waiting: Waiting = { retryAfter: null };
  event.locals.api = createApi(event.url, platform, cookies, waiting);
  useFormKey(event.locals.api, event.request.headers.get('idempotency-key'));
  // The service worker stores the offline page, which stays when the person signs out.
  const isStored = event.url.pathname === offlinePath;
  Object.assign(event.locals, isStored ? noSession : await findSession(event.locals.api, cookies));
  if (openPages[event.locals.session]?.includes(event.url.pathname) === false) redirect(303, '/suspended');
  const { headers } = event.request;
  const language =
    findLanguage(headers.get('cookie'), headers.get('accept-language')) ??
    (await platform.findSettings()).language;
  const hasTwelveHours = countsTwelveHours(language, headers.get('accept-language'));
  const response = await withLanguage({ language, hasTwelveHours }, () =>
    resolve(event, {
      transformPageChunk: ({ html }) =>
        html.replace(
          '<html lang="en" dir="ltr">',
          `<html lang="${language}" dir="${directionOf(language)}"${hasTwelveHours ? ' data-hours="12"' : ''}>`,
        ),
    }),
  );
  if (event.route.id?.startsWith('/embed/')) allowFrames(response.headers);
  if (event.locals.foreignSource) allowSource(response.headers, event.locals.foreignSource);
  for (const cookie of cookies.changed) response.headers.append('set-cookie', cookie);
  // A shared cache would give the cookie to other visitors.
  if (cookies.changed.length > 0) response.headers.set('cache-control', 'private, no-cache');
  if (event.route.id === '/i/[token]') keepSecret(response.headers);
  return withRetryAfter(response, event, waiting);
};

/** The log has the defects of pages. A refusal of the API is none, also where a page does not expect it. */
export const handleError: HandleServerError = ({ kind, error, event: { platform } }) => {
  const refusal = kind === 'unknown' ? toPageError(error) : null;
  if (kind === 'unknown' && !refusal) platform?.reportError(error);
  return { ...refusal, ...(platform && { requestId: platform.requestId }) };
};

/** Tells the page when it can ask again (retrying-fetch.ts). */
async function withRetryAfter(response: Response, { isDataRequest }: RequestEvent, { retryAfter }: Waiting) {
  if (retryAfter === null) return response;
  if (isDataRequest && (await hasTemporaryError(response))) {
    const headers = new Headers({ 'retry-after': retryAfter });
    for (const cookie of response.headers.getSetCookie()) headers.append('set-cookie', cookie);
    return new Response(null, { status: 503, headers });
  }
  if (isTemporary(response.status)) response.headers.set('retry-after', retryAfter);
  return response;
}

/** Other sites may show the page in a frame. It has no forms, so nothing can be clicked unawares. */
function allowFrames(headers: Headers): void {
  const policy = headers.get(policyHeader);
  if (policy) headers.set(policyHeader, policy.replace("frame-ancestors 'none'", 'frame-ancestors *'));
}

/** The address of the page is a key: no cache keeps the page, and no other page learns where the visitor comes from. */
function keepSecret(headers: Headers): void {
  headers.set('cache-control', 'private, no-store');
  headers.set('referrer-policy', 'no-referrer');
}

/** Adds an address to those that the page's scripts may load. */
function allowSource(headers: Headers, address: string): void {
  const { origin, pathname } = new URL(address);
  // These characters end a source in a policy.
  const path = pathname.replaceAll(';', '%3B').replaceAll(',', '%2C');
  const policy = headers.get(policyHeader);
  if (policy)
    headers.set(
      policyHeader,
      policy.replace("connect-src 'self'", (own) => `${own} ${origin}${path}`),
    );
}

/** A client of the API inside this process. It has the visitor's cookie, and passes cookies of responses on. */
function createApi(url: URL, platform: App.Platform, cookies: VisitorCookies, waiting: Waiting): Client {
  const client = createClient({
    baseUrl: url.origin,
    // A visitor who waits does better with an error page that can be loaded again.
    retry: { attempts: 1 },
    async fetch(request) {
      if (cookies.header) request.headers.set('cookie', cookies.header);
      const response = await platform.fetchApi(request);
      cookies.apply(response.headers.getSetCookie());
      if (isTemporary(response.status)) waiting.retryAfter = response.headers.get('retry-after');
      return response;
    },
  });
  return Object.assign(client, { get: readJson(platform, cookies, waiting) });
}

type Session = Pick<App.Locals, 'me' | 'session' | 'suspension'>;
const noSession: Session = { me: null, session: 'none', suspension: null };

async function findSession(api: Client, cookies: VisitorCookies): Promise<Session> {
  if (!cookies.hasSession) return noSession;
  try {
    return { me: (await getMe({ client: api })).data, session: 'active', suspension: null };
  } catch (error) {
    if (!isProblem(error, 'account_suspended', 'token_invalid')) return refuse(error);
    const suspension = error.suspension ?? null;
    if (error.code === 'account_suspended') return { me: null, session: 'suspended', suspension };
    // The cookie stays, so that the page which says why can be loaded again.
    if (suspension) return { me: null, session: 'endedBySuspension', suspension };
    cookies.removeSession();
    return { ...noSession, session: 'ended' };
  }
}

/** Serves the pages of the web app, which SvelteKit renders in this process, and their files. */
import path from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { largestNetworkOf, lazily, mapInTurns } from '#base';
import type { App } from '../../http/app.ts';
import { browserCookieName, clearedCookie, guestCookieName, orderedWays } from '../../http/browser-cookie.ts';
import type { Module } from '../../http/define-module.ts';
import { reportUnexpected } from '../../http/problems.ts';
import { refuseCrossSite } from '../../http/same-origin.ts';
import type { BaseServices } from '../../http/services.ts';
import { demoPhones } from '../../lib/demo-phones.ts';
import { oidcNameOf } from '../../modules/accounts/oidc/provider-name.ts';
import { townIn } from '../../modules/places/address/town-in.ts';
import { createAnonymousPages, sendAnonymousPage } from './anonymous-pages.ts';
import { createApiCalls, toHeaders } from './api-calls.ts';
import { buildDirectory, isBuilt } from './built-files.ts';
import { findTiles, registerMapTiles } from './map-tiles.ts';
import { createPageReads } from './page-reads.ts';
import { type ApiAccess, loadPageServer } from './page-server.ts';
import { findPageSettings } from './page-settings.ts';
import { Previews } from './previews/previews.ts';
import { sendUnavailablePage } from './unavailable-page.ts';

/** In bytes: the longest form has a description of an event and a list of items. Images are sent to the API. */
const maxFormBytes = 192 * 1024;
/** Longer than that of the API, whose responses a page waits for. */
const timeoutMs = 9_000;

/** The body of a form, which SvelteKit reads. Without fields of its own, it passes the checks of JSON bodies. */
class Form {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Buffer<ArrayBuffer>) {
    this.#bytes = bytes;
  }

  get bytes(): Buffer<ArrayBuffer> {
    return this.#bytes;
  }
}

/** Headers of every page, unless the page has its own. */
const pageHeaders = {
  // A page belongs to its visitor. `no-store` would also prevent the Back button from showing it at once.
  'cache-control': 'private, no-cache',
  // Forms without `Sec-Fetch-Site` prove their site by `Origin`, which `no-referrer` would remove.
  'referrer-policy': 'same-origin',
  // Of the page for errors that prevent the error page itself (web/src/error.html): no scripts, no forms.
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

const schema = { hide: true };
const page = { schema, config: { limits: { turns: 'page', timeoutMs } } } as const;

export async function registerWeb<S extends BaseServices>(
  app: App,
  modules: Module<S>[],
  services: S,
): Promise<void> {
  if (!isBuilt()) {
    app.get('/', { schema }, async (_request, reply) => sendUnavailablePage(reply));
    return;
  }
  const { mapTiles } = services.config;
  registerMapTiles(app, mapTiles);
  await app.register(registerFiles);
  await app.register(async (scope) =>
    registerRoutes(scope, app, services, createPageReads(app, modules, services)),
  );
}

/** Scripts, styles and images. Names under `immutable` contain a hash of the content. */
async function registerFiles(scope: FastifyInstance): Promise<void> {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, isStaticFile: true };
    route.schema = schema;
  });
  // Loaded here, because commands other than `serve` have no pages.
  const { default: fastifyStatic } = await import('@fastify/static');
  await scope.register(fastifyStatic, {
    root: path.join(buildDirectory, 'client'),
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders(response, file) {
      const isImmutable = file.includes(`${path.sep}immutable${path.sep}`);
      response.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      // The policy of its script applies to a service worker, and limits the requests that it sends. The file
      // may be the compressed one.
      if (path.basename(file).startsWith('service-worker.js'))
        response.header('content-security-policy', "default-src 'none'; connect-src 'self'");
    },
  });
}

function registerRoutes(
  scope: FastifyInstance,
  app: App,
  services: BaseServices,
  readerOf: ReturnType<typeof createPageReads>,
): void {
  const { production, publicUrl, demo, mapTiles, oidc, geocoder, defaultCountry = null } = services.config;
  const demoAccounts = demo ? demoPhones : [];
  const baseMap = path.join(buildDirectory, 'client', 'map', 'base.pmtiles');
  const sessionCookie = { name: browserCookieName({ publicUrl }), cleared: clearedCookie({ publicUrl }) };
  const previews = new Previews();
  const load = lazily(loadPageServer);
  const renderPage = async (request: FastifyRequest, web: Request, api: ApiAccess) => {
    const drawPreview = previews.find.bind(previews, largestNetworkOf(request.ip));
    const response = await (await load()).respond(web, {
      getClientAddress: () => request.ip,
      platform: {
        ...api,
        mapInTurns,
        townIn,
        drawPreview,
        sessionCookie,
        guestCookieName: (eventId: string) => guestCookieName({ publicUrl }, eventId.toLowerCase()),
        demoAccounts,
        // Read when the page asks for them, because the form of a page may have changed them.
        async findSettings() {
          const { signIn, contact, language } = await findPageSettings(services);
          const signInWays = orderedWays(services.config, { signIn }, web.headers.get('cookie') ?? '');
          return { signInWays, contact, language, oidcName: oidcNameOf({ signIn, oidc }) };
        },
        // Few pages have a map, so only they look for the file.
        get mapTiles() {
          return findTiles(mapTiles).address;
        },
        streetSearch: geocoder ? (geocoder.typeahead ? 'typing' : 'button') : 'none',
        get mapPaths() {
          return { base: baseMap, streets: findTiles(mapTiles).path };
        },
        isProduction: production,
        defaultCountry,
        requestId: request.id,
        reportError: (error) => reportUnexpected(request, error),
      },
    });
    const isTemporary = response.status === 429 || response.status === 503;
    if (isTemporary && !response.headers.has('retry-after')) response.headers.set('retry-after', '1');
    return response;
  };
  const findAnonymousPage = createAnonymousPages({ services, readerOf, renderPage });

  const render = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(pageHeaders);
    const page = await findAnonymousPage(request);
    if (page) {
      if (allowsFrames(page.headers[policyHeader])) reply.removeHeader('x-frame-options');
      return sendAnonymousPage(request, reply, page);
    }
    // After the request timeout, or if the visitor has left.
    const reader = readerOf(request, () => reply.raw.writableEnded || reply.raw.destroyed);
    const api = { readApi: reader.read, fetchApi: createApiCalls(app, request, () => reader.forget()) };
    const response = await renderPage(request, toWebRequest(request, publicUrl), api);
    if (allowsFrames(response.headers.get(policyHeader))) reply.removeHeader('x-frame-options');
    return sendWebResponse(reply, response);
  };

  // Unknown paths of the API get the API's 404, before any check of pages and of bodies.
  scope.addHook('onRequest', (request, reply, done) => {
    if (request.url.startsWith('/v1/')) reply.callNotFound();
    else done();
  });
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'],
    { parseAs: 'buffer', bodyLimit: maxFormBytes },
    (_request, body, done) => done(null, new Form(body as Buffer<ArrayBuffer>)),
  );
  scope.get('/*', { ...page, config: { ...page.config, compressed: 'page' } }, render);
  const publicOrigin = new URL(publicUrl).origin;
  const requireOwnPage: onRequestHookHandler = (request, _reply, done) =>
    done(refuseCrossSite(request, publicOrigin) ?? undefined);
  scope.post('/*', { ...page, bodyLimit: maxFormBytes, onRequest: requireOwnPage }, render);
}

const policyHeader = 'content-security-policy';

/** The route of a page decides whether pages may show it in a frame (web/src/hooks.server.ts), not its address. */
const allowsFrames = (policy: string | null | undefined): boolean =>
  /frame-ancestors (\*|'self')/.test(policy ?? '');

function toWebRequest(request: FastifyRequest, publicUrl: string): Request {
  const headers = toHeaders(request.headers);
  const body = request.body instanceof Form ? request.body.bytes : null;
  return new Request(new URL(publicUrl).origin + request.url, { method: request.method, headers, body });
}

async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  // A file may be longer than what a page should hold in memory. Compression needs the whole page.
  const isFile = response.headers.has('content-disposition');
  if (isFile && response.body) return reply.send(Readable.fromWeb(response.body));
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

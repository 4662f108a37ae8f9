/** Serves the pages of the web app, which SvelteKit renders in this process, and their files. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { App } from '../../http/app.ts';
import { largePage } from '../../http/compression.ts';
import { refuseCrossSite } from '../../http/same-origin.ts';
import type { Config } from '../../lib/config.ts';
import { demoPhones } from '../../lib/demo-phones.ts';
import { createApiCalls, type FetchApi } from './api-calls.ts';
import { sendUnavailablePage } from './unavailable-page.ts';

/** The output of web/build.ts. */
const build = path.join(import.meta.dirname, '..', '..', '..', 'web', 'build');

/** The part of SvelteKit's server that is used here. */
type PageServer = {
  init(options: { env: Record<string, string | undefined> }): Promise<void>;
  respond(
    request: Request,
    options: {
      getClientAddress(): string;
      platform: { fetchApi: FetchApi; demoAccounts: typeof demoPhones };
    },
  ): Promise<Response>;
};

/** In bytes: the longest form has a description of an event. Images are sent to the API. */
const maxFormBytes = 64 * 1024;
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

const schema = { hide: true };
const page = { schema, config: { isPage: true, timeoutMs } } as const;

export async function registerWeb(app: App, config: Pick<Config, 'publicUrl' | 'demo'>): Promise<void> {
  if (!existsSync(path.join(build, 'server', 'server.js'))) {
    app.get('/', { schema }, async (_request, reply) => sendUnavailablePage(reply));
    return;
  }
  await app.register(registerFiles);
  await app.register(async (scope) => registerRoutes(scope, app, config));
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
    root: path.join(build, 'client'),
    wildcard: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders(response, file) {
      const isImmutable = file.includes(`${path.sep}immutable${path.sep}`);
      response.header('cache-control', isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}

function registerRoutes(
  scope: FastifyInstance,
  app: App,
  { publicUrl, demo }: Pick<Config, 'publicUrl' | 'demo'>,
): void {
  let loading: Promise<PageServer> | undefined;
  const load = () => {
    loading ??= loadPageServer();
    return loading;
  };

  const render = async (request: FastifyRequest, reply: FastifyReply) => {
    const server = await load();
    const response = await server.respond(toWebRequest(request, publicUrl), {
      getClientAddress: () => request.ip,
      platform: { fetchApi: createApiCalls(app, request), demoAccounts: demo ? demoPhones : [] },
    });
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
  scope.get('/*', { ...page, config: { ...page.config, compressFrom: largePage } }, render);
  const publicOrigin = new URL(publicUrl).origin;
  const requireOwnPage: onRequestHookHandler = (request, _reply, done) =>
    done(refuseCrossSite(request, publicOrigin) ?? undefined);
  scope.post('/*', { ...page, bodyLimit: maxFormBytes, onRequest: requireOwnPage }, render);
}

/** @throws if the build is of another version of SvelteKit than the installed one */
async function loadPageServer(): Promise<PageServer> {
  const { server } = (await import(pathToFileURL(path.join(build, 'server', 'server.js')).href)) as {
    server: PageServer;
  };
  await server.init({ env: {} });
  return server;
}

function toWebRequest(request: FastifyRequest, publicUrl: string): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const line of [value ?? []].flat()) headers.append(name, line);
  }
  const body = request.body instanceof Form ? request.body.bytes : null;
  return new Request(new URL(publicUrl).origin + request.url, { method: request.method, headers, body });
}

async function sendWebResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply
    .code(response.status)
    // A page belongs to its visitor. `no-store` would also prevent the Back button from showing it at once.
    .header('cache-control', 'private, no-cache')
    // Forms without `Sec-Fetch-Site` prove their site by `Origin`, which `no-referrer` would remove.
    .header('referrer-policy', 'same-origin');
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value);
  if (response.status === 429 || response.status === 503) reply.header('retry-after', 1);
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) reply.header('set-cookie', cookies);
  // Compression needs the whole page.
  return reply.send(Buffer.from(await response.arrayBuffer()));
}

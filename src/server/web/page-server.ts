/** The built pages: SvelteKit's server, and the code that chooses the language of a visitor. */
import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { demoPhones } from '../../lib/demo-phones.ts';
import type { FetchApi } from './api-calls.ts';
import type { Preview } from './previews/draw-preview.ts';

/** The output of web/build.ts. */
export const buildDirectory = path.join(import.meta.dirname, '..', '..', '..', 'web', 'build');

export type PageServer = SvelteServer & {
  /** The language of a page for a visitor, as Paraglide determines it. */
  languageOf(headers: Pick<IncomingHttpHeaders, 'cookie' | 'accept-language'>): string;
};

/** The functions and values of the server that pages use (web/src/app.d.ts). */
type Platform = {
  fetchApi: FetchApi;
  drawPreview(version: string, read: () => Promise<Preview>): Promise<Buffer<ArrayBuffer> | null>;
  sessionCookie: { name: string; cleared: string };
  demoAccounts: typeof demoPhones;
  mapTiles: string | null;
  requestId: string;
  reportError(error: unknown): void;
};

/** The part of SvelteKit's server that is used here. */
type SvelteServer = {
  respond(
    request: Request,
    options: {
      getClientAddress(): string;
      platform: Platform;
    },
  ): Promise<Response>;
};

/** The part of Paraglide's runtime that is used here. It reads these headers of a request, and its URL. */
type Languages = {
  extractLocaleFromRequest(request: { url: string; headers: { get(name: string): string | null } }): string;
};

const serverFile = (name: string): string => path.join(buildDirectory, 'server', name);

export const isBuilt = (): boolean => existsSync(serverFile('server.js'));

/** @throws if the build is of another version of SvelteKit than the installed one */
export async function loadPageServer(): Promise<PageServer> {
  type Server = SvelteServer & { init(options: { env: Record<string, string | undefined> }): Promise<void> };
  const [{ server }, { extractLocaleFromRequest }] = await Promise.all([
    load<{ server: Server }>('server.js'),
    load<Languages>('languages.js'),
  ]);
  await server.init({ env: {} });
  return {
    respond: (request, options) => server.respond(request, options),
    languageOf: (headers) =>
      extractLocaleFromRequest({
        url: 'http://local.invalid/',
        headers: { get: (name) => headers[name as 'cookie' | 'accept-language'] ?? null },
      }),
  };
}

const load = <T>(name: string): Promise<T> => import(pathToFileURL(serverFile(name)).href);

/** The built pages: SvelteKit's server. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { mapInTurns } from '#base';
import type { Language } from '../../../web/src/lib/language/languages.ts';
import type { ContactKind } from '../../lib/contact.ts';
import type { demoPhones } from '../../lib/demo-phones.ts';
import type { FetchApi } from './api-calls.ts';
import { buildDirectory } from './built-files.ts';
import type { ApiRead, ReadResponse } from './page-reads.ts';
import type { Preview } from './previews/draw-preview.ts';

/** How a page calls the API. */
export type ApiAccess = Pick<Platform, 'readApi' | 'fetchApi'>;

/** The functions and values of the server that pages use (web/src/app.d.ts). */
type Platform = {
  readApi(read: ApiRead, cookie: string | null): Promise<ReadResponse>;
  fetchApi: FetchApi;
  mapInTurns: typeof mapInTurns;
  townIn(address: string): Promise<string>;
  drawPreview(version: string, read: () => Promise<Preview>): Promise<Buffer<ArrayBuffer> | null>;
  sessionCookie: { name: string; cleared: string };
  guestCookieName(eventId: string): string;
  demoAccounts: typeof demoPhones;
  findSettings(): Promise<{
    signInWays: ContactKind[];
    oidcName: string | null;
    contact: string | null;
    language: Language;
  }>;
  mapTiles: string | null;
  streetSearch: 'none' | 'button' | 'typing';
  mapPaths: { base: string; streets: string | null };
  isProduction: boolean;
  defaultCountry: string | null;
  requestId: string;
  reportError(error: unknown): void;
};

/** The part of SvelteKit's server that is used here. */
export type PageServer = {
  respond(
    request: Request,
    options: {
      getClientAddress(): string;
      platform: Platform;
    },
  ): Promise<Response>;
};

const serverFile = path.join(buildDirectory, 'server', 'server.js');

export async function loadPageServer(): Promise<PageServer> {
  type Server = PageServer & { init(options: { env: Record<string, string | undefined> }): Promise<void> };
  const { server }: { server: Server } = await import(pathToFileURL(serverFile).href);
  await server.init({ env: {} });
  return server;
}

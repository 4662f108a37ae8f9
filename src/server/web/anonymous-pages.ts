/** Pages for visitors who are not signed in: who gets them, how they are made, and how they are sent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { countsTwelveHours, findLanguage, type Language } from '../../../web/src/lib/language/languages.ts';
import { addVary, contentHash } from '../../http/conditional.ts';
import { createDocument, sendDocument } from '../../http/documents.ts';
import type { BaseServices } from '../../http/services.ts';
import { type Page, PageCache, type RenderedPage, type VersionedRead } from './page-cache.ts';
import type { ApiRead, createPageReads, ReadResponse } from './page-reads.ts';
import type { ApiAccess } from './page-server.ts';
import { findPageSettings } from './page-settings.ts';

/** The front page, the pages of events, which links lead to, and their forms for frames of other sites. */
const cachedPath = /^\/(?:(?:e|embed)\/[0-9a-f-]{36})?$/;
/** The choice of a language alone. Any other cookie may change the page. */
const languageCookie = /^ *language=[^;]*$/;

/** Of visitors whose day has two times twelve hours. */
const twelveHourTag = 'en-US';

/** The share of the memory for caches that pages may take. */
const cacheShare = 0.05;

/** Whether the page is the same for all visitors who send no session, apart from the language. */
const isAnonymous = ({ method, url, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  cachedPath.test(url) &&
  headers.authorization === undefined &&
  (headers.cookie === undefined || languageCookie.test(headers.cookie));

type Options = {
  services: Pick<BaseServices, 'config' | 'instance'>;
  readerOf: ReturnType<typeof createPageReads>;
  renderPage(request: FastifyRequest, web: Request, api: ApiAccess): Promise<Response>;
};

/** A response with the same version has the same content. */
const versionOf = ({ headers, json }: ReadResponse): string => `${headers.etag ?? contentHash(json)}`;

/** @returns a function that finds or renders the page of a request; null if the request needs a page of its own */
export function createAnonymousPages({ services, readerOf, renderPage }: Options) {
  const { cacheBytes, publicUrl } = services.config;
  const cache = new PageCache(cacheBytes * cacheShare);

  /** Every page shows settings of the instance. To be called after the log is read: then their version is current. */
  const withSettings = (version: string, settings = services.instance.version) => `${settings} ${version}`;

  async function currentVersion(request: FastifyRequest, read: ApiRead): Promise<string> {
    const response = await readerOf(request).read(read, null);
    if (response.status !== 200) throw new Error(`${read.path} has no version`);
    return withSettings(versionOf(response));
  }

  return async (request: FastifyRequest): Promise<Page | null> => {
    if (!isAnonymous(request)) return null;
    const { cookie, 'accept-language': accepted } = request.headers;
    const language = findLanguage(cookie, accepted);
    const hasTwelveHours = countsTwelveHours(language, accepted);
    return cache.find(`${language} ${hasTwelveHours} ${request.url}`, {
      versionOf: (read) => currentVersion(request, read),
      render: () => render(request, language, hasTwelveHours),
    });
  };

  /**
   * Renders the page from the address, the language and its hours alone, so that it is the same for all visitors.
   * @param asked undefined for the language of the instance
   */
  async function render(
    request: FastifyRequest,
    asked: Language | undefined,
    hasTwelveHours: boolean,
  ): Promise<RenderedPage> {
    // Of the beginning: the page may show the settings before a change that its later reads see.
    const { version } = services.instance;
    const language = asked ?? (await findPageSettings(services)).language;
    const reads: VersionedRead[] = [];
    let isCacheable = true;
    const reader = readerOf(request);
    const readApi = async (read: ApiRead) => {
      const response = await reader.read(read, null);
      isCacheable &&= response.status === 200;
      if (isCacheable) reads.push({ read, version: withSettings(versionOf(response), version) });
      return response;
    };
    const fetchApi = async ({ url }: Request) => {
      throw new Error(`${url} changes something, or is no JSON, and the page is for all visitors`);
    };
    const web = new Request(new URL(request.url, publicUrl), {
      headers: {
        accept: 'text/html',
        cookie: `language=${language}`,
        ...(hasTwelveHours && { 'accept-language': twelveHourTag }),
      },
    });
    const page = await toPage(await renderPage(request, web, { readApi, fetchApi }));
    return { page, reads: isCacheable && page.status === 200 ? reads : null };
  }
}

async function toPage(response: Response): Promise<Page> {
  const body = Buffer.from(await response.arrayBuffer());
  // A session begins with a form only, so no cookie belongs to this page.
  const { etag: _etag, 'set-cookie': _cookie, ...headers } = Object.fromEntries(response.headers);
  return { ...createDocument(body), status: response.status, headers };
}

export function sendAnonymousPage(request: FastifyRequest, reply: FastifyReply, page: Page) {
  reply.code(page.status).headers(page.headers);
  addVary(reply, 'Cookie, Accept-Language');
  return sendDocument(request, reply, page);
}

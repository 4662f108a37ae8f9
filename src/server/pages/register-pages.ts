/** Adds the routes of the pages for browsers, their icon, and the files for search engines. */
import { lazily } from '#base';
import type { App } from '../../http/app.ts';
import { createDocument, sendUnversioned } from '../../http/documents.ts';
import { svgHeaders, svgType } from '../../http/placeholder-images.ts';
import { catalogue } from '../../lib/problem-catalogue.ts';
import { errorsPage } from './errors-page.ts';
import { icon, pageType, withPagePolicy } from './layout.ts';
import { type PageServices, registerSitemap } from './sitemap.ts';

/**
 * Search engines may index the pages, but not the API: its responses are for programs, and a crawler that
 * follows the links of the front page would use up the rate limit of its address. Generated covers are images
 * of the front page.
 */
const robots = (publicUrl: string) => `User-agent: *
Allow: /v1/events/*/cover.svg
Disallow: /v1/
Disallow: /metrics

Sitemap: ${publicUrl}/sitemap.xml
`;

const schema = { hide: true };
const staticFile = { schema, config: { isStaticFile: true } } as const;

export function registerPages(app: App, services: PageServices): void {
  registerSitemap(app, services);
  const readErrors = lazily(async () => createDocument(errorsPage(catalogue)));
  app.get('/docs/errors', { schema }, async (request, reply) =>
    sendUnversioned(request, withPagePolicy(reply), await readErrors(), pageType),
  );

  // Browsers request this path for pages that declare no icon, such as the API reference.
  app.get('/favicon.ico', staticFile, async (_request, reply) =>
    reply.type(svgType).headers(svgHeaders).send(icon),
  );

  app.get('/robots.txt', staticFile, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(robots(services.config.publicUrl)),
  );
}

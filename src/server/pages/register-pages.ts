/** Adds the routes of the pages for browsers, their icon, and robots.txt. */
import type { App } from '../../http/app.ts';
import { largePage } from '../../http/compression.ts';
import { svgHeaders, svgType } from '../../http/placeholder-images.ts';
import { demoPhones } from '../../lib/demo-phones.ts';
import { catalogue } from '../../lib/errors.ts';
import { readEventQuery } from '../../modules/discovery/event-query.ts';
import type { DiscoveryServices } from '../../modules/discovery/services.ts';
import { toListedEvent } from '../../modules/events/present.ts';
import { errorsPage } from './errors-page.ts';
import { frontPage } from './front-page.ts';
import { icon, sendPage } from './layout.ts';

/** Events on the front page. */
const maxEvents = 12;

/**
 * Search engines may index the pages, but not the API: its responses are for programs, and a crawler that
 * follows the links of the front page would use up the rate limit of its address. Generated covers are images
 * of the front page.
 */
const robots = `User-agent: *
Allow: /v1/events/*/cover.svg
Disallow: /v1/
Disallow: /metrics
`;

const schema = { hide: true };
const staticFile = { schema, config: { isStaticFile: true } } as const;

export function registerPages(app: App, services: DiscoveryServices): void {
  app.get('/', { schema, config: { compressFrom: largePage } }, async (request, reply) =>
    sendPage(reply, await renderFrontPage(services, request.ip)),
  );

  app.get('/docs/errors', { schema }, async (_request, reply) => sendPage(reply, errorsPage(catalogue)));

  // Browsers request this path for pages that declare no icon, such as the API reference.
  app.get('/favicon.ico', staticFile, async (_request, reply) =>
    reply.type(svgType).headers(svgHeaders).send(icon),
  );

  app.get('/robots.txt', staticFile, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400').send(robots),
  );
}

async function renderFrontPage(
  { config, clock, lists }: DiscoveryServices,
  address: string,
): Promise<string> {
  const { listed, total } = await lists.events({
    query: readEventQuery({}, clock()),
    order: 'start',
    slice: { page: 1, limit: maxEvents },
    viewer: null,
    address,
  });
  const shown = listed.map(({ row }) => toListedEvent(row, config.publicUrl));
  return frontPage(shown, total, config.demo ? demoPhones : []);
}

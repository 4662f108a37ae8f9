/** The pages that a person opens: the front door and the list of errors. One file each, no script, nothing from elsewhere. */
import type { FastifyReply } from 'fastify';
import type { App } from '../http/app.ts';
import { largePage } from '../http/compression.ts';
import { sendSvg } from '../http/placeholder-images.ts';
import { demoPhones } from '../lib/demo-phones.ts';
import { catalogue } from '../lib/errors.ts';
import { toListedEvent } from '../modules/events/present.ts';
import type { Deps } from './build-app.ts';
import { errorsPage, frontPage, icon } from './html.ts';

/** Pages carry their style inside, show pictures of ours, and run nothing. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Pages may be indexed. The API may not: its responses are for programs, and a crawler that follows links from the front
 * page would use up the request limit of its address. Covers are pictures of the front page.
 */
const robots = `User-agent: *
Allow: /v1/events/*/cover.svg
Disallow: /v1/
Disallow: /metrics
`;

const sendPage = (reply: FastifyReply, html: string) =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);

export function pageRoutes(app: App, { config, clock, lists }: Deps): void {
  const upcoming = () => ({
    circle: null,
    category: null,
    from: clock(),
    until: null,
    search: null,
  });

  app.get('/', { schema: { hide: true }, config: { compressFrom: largePage } }, async (_request, reply) => {
    const { listed, total } = await lists(upcoming(), 'start', { page: 1, limit: 12 }, null);
    return sendPage(
      reply,
      frontPage(
        listed.map(({ event }) => toListedEvent(event.row, config.publicUrl)),
        total,
        config.demo ? demoPhones : [],
      ),
    );
  });

  // Browsers ask for it on pages that name no icon, such as the reference.
  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) => sendSvg(reply, icon));

  app.get('/robots.txt', { schema: { hide: true } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400').send(robots),
  );

  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, errorsPage(catalogue)),
  );
}

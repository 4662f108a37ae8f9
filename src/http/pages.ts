/** The pages that a person opens: the front door and the list of errors. One file each, no script, nothing from elsewhere. */
import type { FastifyReply } from 'fastify';
import type { App, Deps } from '../app.ts';
import { demoPhones } from '../demo-phones.ts';
import { catalogue } from '../errors.ts';
import { listEvents } from '../events/list.ts';
import { toListedEvent } from '../events/views.ts';
import { errorsPage, frontPage, icon } from './html.ts';
import { sendSvg } from './pictures.ts';

/** Pages carry their style inside, show pictures of ours, and run nothing. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const sendPage = (reply: FastifyReply, html: string) =>
  reply.type('text/html; charset=utf-8').header('content-security-policy', policy).send(html);

export function pageRoutes(app: App, { sql, config, clock }: Deps): void {
  const upcoming = () => ({
    near: null,
    category: null,
    from: clock(),
    until: null,
    search: null,
    hiddenOrganizers: [],
  });

  app.get('/', { schema: { hide: true } }, async (_request, reply) => {
    const { rows, total } = await listEvents(sql, upcoming(), 'start', { page: 1, limit: 12 }, null);
    return sendPage(
      reply,
      frontPage(
        rows.map((row) => toListedEvent(row, null, config.publicUrl)),
        total,
        config.demo && !config.production ? demoPhones : [],
      ),
    );
  });

  // Browsers ask for it on pages that name no icon, such as the reference.
  app.get('/favicon.ico', { schema: { hide: true } }, async (_request, reply) => sendSvg(reply, icon));

  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, errorsPage(catalogue)),
  );
}

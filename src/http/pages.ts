/** The pages that a person opens: the front door and the list of errors. One file each, no script, nothing from elsewhere. */
import type { FastifyReply } from 'fastify';
import type { App, Deps } from '../app.ts';
import { catalogue } from '../errors.ts';
import { listEvents } from '../events/list.ts';
import { toListedEvent } from '../events/views.ts';
import { errorsPage, frontPage } from './html.ts';

/** Pages carry their style inside, and nothing else may run or be loaded but pictures. */
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src * data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

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
      ),
    );
  });

  app.get('/docs/errors', { schema: { hide: true } }, async (_request, reply) =>
    sendPage(reply, errorsPage(catalogue)),
  );
}

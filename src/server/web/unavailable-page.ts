/** The page in place of the web app and of the API reference where they are not built. */
import type { FastifyReply } from 'fastify';
import { htmlDocument, pageType, withPagePolicy } from '../pages/layout.ts';

export const sendUnavailablePage = (reply: FastifyReply): FastifyReply =>
  withPagePolicy(reply.code(503))
    .type(pageType)
    .send(
      htmlDocument(
        'Potluck',
        '<h1>🥘 Potluck</h1><p class="lead">The pages of this server are not built. Run <code>npm run build</code> in ' +
          'its directory and restart it. The API works without them.</p>' +
          '<p class="links"><a href="/openapi.json">OpenAPI document</a></p>',
      ),
    );

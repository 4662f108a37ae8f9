/** The page in place of the web app where it is not built. */
import type { FastifyReply } from 'fastify';
import { htmlDocument, sendPage } from '../pages/layout.ts';

export const sendUnavailablePage = (reply: FastifyReply): FastifyReply =>
  sendPage(
    reply.code(503),
    htmlDocument(
      'Potluck',
      '<h1>🥘 Potluck</h1><p class="lead">The pages of this server are not built. Run <code>npm ci</code> in its ' +
        'directory and restart it. The API works without them.</p>' +
        '<p class="links"><a href="/docs/">API reference</a><a href="/openapi.json">OpenAPI document</a></p>',
    ),
  );

import type { App } from '../../../http/app.ts';
import { defineModule } from '../../../http/define-module.ts';
import type { BaseServices } from '../../../http/services.ts';
import { readRefusalToken, refusalLinks } from '../../invitations/refusals.ts';
import { requireUnsubscription, TokenQuery } from './require-unsubscription.ts';
import { unsubscribe } from './unsubscribe.ts';
import { unsubscribeLinks } from './unsubscribe-tokens.ts';

/** In bytes: more than `List-Unsubscribe=One-Click` as either form. */
const maxFormBytes = 1_000;

/** Unsubscribing from mails. A module of its own, because its Fastify scope accepts forms: mail programs post them, and nothing reads them. */
export const unsubscription = defineModule<BaseServices>({
  tag: 'Notifications',
  endpoints: { unsubscribe },
  setup: (app, { config }) => {
    app.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: maxFormBytes },
      (_request, _body, done) => done(null, undefined),
    );
    redirectToPage(app, config);
  },
});

/** Mail programs that know no posting open the address in a browser. That stops nothing. */
const redirectToPage = (app: App, config: BaseServices['config']) =>
  app.get(
    unsubscribe.path,
    { schema: { hide: true, querystring: TokenQuery }, config: { caller: 'none' } },
    (request, reply) => {
      const { token } = request.query;
      const contactHash = readRefusalToken(config.secretKey, token);
      const { page } = contactHash
        ? refusalLinks(config, contactHash)
        : unsubscribeLinks(config, requireUnsubscription(config, token));
      return reply.redirect(page, 303);
    },
  );

import { Type } from 'typebox';
import { transaction } from '#pg';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { named, oneOf } from '../../../http/schemas.ts';
import type { BaseServices } from '../../../http/services.ts';
import { invalid } from '../../../lib/errors.ts';
import { notificationKinds, summaryKinds } from '../../../outbox/kinds.ts';
import { readRefusalToken, storeRefusal } from '../../invitations/refusals.ts';
import { stopMails } from '../repo.ts';
import { requireUnsubscription, TokenQuery } from './require-unsubscription.ts';

const StoppedMails = named(
  'StoppedMails',
  Type.Object({
    kinds: Type.Array(oneOf(notificationKinds), {
      description: 'The kinds of which the person gets no more mails by this request.',
      examples: [['reminder']],
    }),
  }),
);

export const unsubscribe = defineEndpoint({
  method: 'POST',
  retry: 'repeatable',
  path: '/v1/unsubscribe',
  summary: 'Stop mails',
  description:
    'By the token of a mail, without a sign-in: the address of the header `List-Unsubscribe`, to which mail programs post a ' +
    'form (RFC 8058). The form is not read. Notifications still go to the inbox and to devices. The token of an invitation refuses all ' +
    'further invitations of this server to its contact.',
  caller: 'none',
  uncached: true,
  query: Type.Object({
    ...TokenQuery.properties,
    all: Type.Optional(
      Type.Boolean({
        description: 'With `true`, mails of all kinds. Default: those of the kind of the mail.',
      }),
    ),
    undo: Type.Optional(
      Type.Boolean({
        description:
          'With `true`, takes the refusal of all invitations back. Only for the token of an invitation.',
      }),
    ),
  }),
  response: { 200: StoppedMails },

  async handler({ query }, { db, config, clock }: BaseServices) {
    const contactHash = readRefusalToken(config.secretKey, query.token);
    if (contactHash) {
      await storeRefusal(db, contactHash, query.undo !== true, clock());
      return { status: 200, body: { kinds: query.undo ? [] : ['invitation' as const] } };
    }
    const { userId, kind } = requireUnsubscription(config, query.token);
    if (query.undo) throw invalid('undo', 'is for the token of an invitation');
    const kinds = query.all ? notificationKinds : kind === 'summary' ? summaryKinds : [kind];
    await transaction(db, (tx) => stopMails(tx, userId, kinds));
    return { status: 200, body: { kinds } };
  },
});

import { Type } from 'typebox';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { named } from '../../../http/schemas.ts';
import type { MessageContact } from '../../../lib/contact.ts';
import { Problem } from '../../../lib/errors.ts';
import { readLinkToken } from '../codes/links.ts';
import type { AccountServices } from '../services.ts';
import { LinkToken } from './schemas.ts';

const LinkContact = named(
  'LinkContact',
  Type.Object({
    contact: Type.String({ description: 'Without most of it.', examples: ['m•••@example.org'] }),
  }),
);

export const readLink = defineEndpoint({
  method: 'POST',
  path: '/v1/auth/email/link/contact',
  retry: 'repeatable',
  caller: 'none',
  uncached: true,
  summary: 'Read to whom the link of a mail belongs',
  description:
    'For the page that the link opens: who follows the link of somebody else notices it before the sign-in. Whether the link can ' +
    'still be used only its use shows.',
  body: LinkToken,
  response: { 200: LinkContact },
  problems: ['wrong_code'],

  async handler({ body }, { config }: AccountServices) {
    const link = readLinkToken(config.secretKey, body.token);
    if (!link) throw new Problem('wrong_code');
    return { status: 200, body: { contact: shorten(link.contact) } };
  },
});

/** `m•••@example.org`, or `+46 ••• 23`: enough for the owner, and no address for others. */
const shorten = ({ kind, value }: MessageContact): string =>
  kind === 'email' ? value.replace(/^(.)[^@]*/u, '$1•••') : `${value.slice(0, 3)} ••• ${value.slice(-2)}`;

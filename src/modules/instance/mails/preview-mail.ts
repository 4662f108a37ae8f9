import { Type } from 'typebox';
import { baseLanguage, languages } from '../../../../web/src/lib/language/languages.ts';
import { senderNameOf } from '../../../config/mail.ts';
import { defineEndpoint } from '../../../http/define-endpoint.ts';
import { named, oneOf } from '../../../http/schemas.ts';
import type { BaseServices } from '../../../http/services.ts';
import { renderHtml, renderText } from '../../../mail/layout.ts';
import { exampleKinds, mailExample } from '../../notifications/mail/examples.ts';
import { mailContextOf } from '../../notifications/mail/mail-content.ts';

const MailPreview = named(
  'MailPreview',
  Type.Object({
    subject: Type.String({ examples: ['Tomorrow: Harbour potluck'] }),
    sender: Type.String({ description: 'The name of the sender.', examples: ['Noor al-Hamad via Potluck'] }),
    text: Type.String({ description: 'The part for mail programs without HTML.' }),
    html: Type.String({ description: 'A document that loads nothing.' }),
  }),
);

export const previewMail = defineEndpoint({
  method: 'GET',
  path: '/v1/admin/mails/preview',
  summary: 'Preview a mail',
  description:
    'For admins: what a mail of a kind looks like in a language, with an invented event and invented people. The tokens in its ' +
    'links are not valid.',
  caller: 'admin',
  query: Type.Object({
    kind: oneOf(exampleKinds, {
      description: '`code_…`: a mail with a code. Others: as in the list of mails.',
    }),
    language: Type.Optional(oneOf(languages, { description: 'Default: `en`.' })),
  }),
  response: { 200: MailPreview },

  async handler({ query: { kind, language = baseLanguage } }, { config, instance }: BaseServices) {
    const { name: instanceName } = await instance.settings();
    const content = mailExample(kind, language, mailContextOf(config, instanceName));
    const name = senderNameOf(config.mail, instanceName);
    const [text, html] = [renderText(content), renderHtml(content, name)];
    return { status: 200, body: { subject: content.subject, sender: content.sender ?? name, text, html } };
  },
});

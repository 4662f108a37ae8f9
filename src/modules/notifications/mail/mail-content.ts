/** What the mails of the queue say. */
import type { MailContent } from '../../../mail/layout.ts';
import { mailText } from '../../../mail/mail-text.ts';
import type { QueuedMail } from '../../../mail/mails.ts';

/** @param instance the name of the server */
export const mailContent = (
  { kind, language }: Pick<QueuedMail, 'kind' | 'language'>,
  instance: string,
): MailContent => ({
  language,
  subject: mailText(`${kind}_subject`, language, { instance }),
  heading: mailText(kind, language),
  footer: [mailText(`${kind}_why`, language, { instance })],
});

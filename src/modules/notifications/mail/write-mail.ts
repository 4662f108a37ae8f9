/** Writes the mails of the queue. */
import { mailText } from '../../../mail/mail-text.ts';
import type { MailText } from '../../../mail/mailer.ts';
import type { QueuedMail } from '../../../mail/mails.ts';

export const writeMail = ({ kind, language }: QueuedMail, instance: string): MailText => ({
  subject: mailText(`${kind}_subject`, language, { instance }),
  text: `${mailText(kind, language, { instance })}\n`,
});

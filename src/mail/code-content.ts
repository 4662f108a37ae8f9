/** The mail with a code. */
import type { MailContent } from './layout.ts';
import { mailText } from './mail-text.ts';
import type { CodeMail } from './mailer.ts';

/** @param instance the name of the server */
export function codeContent(
  { purpose, code, link, language }: Omit<CodeMail, 'isForStranger'>,
  instance: string,
): MailContent {
  return {
    language,
    subject: mailText(`code_${purpose}_subject`, language, { code, instance }),
    heading: mailText(`code_${purpose}`, language),
    code,
    ...(link !== null && {
      paragraphs: [mailText('code_or_link', language, { instance })],
      button: { text: mailText(`code_${purpose}_button`, language), url: link },
    }),
    // Only a person in a session of the account can ask for the code of a change.
    footer: [mailText(purpose === 'change_contact' ? 'code_warn' : 'code_ignore', language)],
  };
}

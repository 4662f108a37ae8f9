/** The mail with a code. */
import { mailText } from './mail-text.ts';
import type { CodeMail, MailText } from './mailer.ts';

export function codeText({ purpose, code, link, language }: CodeMail, instance: string): MailText {
  const inputs = { code, instance };
  const paragraphs = [
    mailText(`code_${purpose}`, language, inputs),
    ...(link === null ? [] : [`${mailText('code_link', language)}\n${link}`]),
    mailText('code_ignore', language),
  ];
  return {
    subject: mailText(`code_${purpose}_subject`, language, inputs),
    text: `${paragraphs.join('\n\n')}\n`,
  };
}

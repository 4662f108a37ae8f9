/** The mail to a contact that is invited, or reminded. Nobody may have confirmed the contact here, so few words of people are in it. */
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import type { MailKind } from '../../../mail/kinds.ts';
import type { MailContent, MailLink } from '../../../mail/layout.ts';
import { mailText } from '../../../mail/mail-text.ts';
import { shownWords } from '../../../mail/shown-words.ts';
import { discreetEvent } from './discreet-content.ts';
import { eventBlock, type MailedEvent } from './event-lines.ts';
import type { MailContext } from './mail-content.ts';

/** `message`: null for none, and for that of a new account. `links`: null if mails lead to no page. */
export type MailedInvitation = {
  kind: Extract<MailKind, 'invited' | 'invited_reminder'>;
  inviter: string;
  event: MailedEvent;
  message: string | null;
  links: { answer: string; refuse: { page: string; post: string } } | null;
};

export function invitationContent(
  { kind, inviter, event, message, links }: MailedInvitation,
  language: Language,
  { instance }: MailContext,
): MailContent {
  const name = shownWords(inviter);
  const heading = name ? mailText(`${kind}_by`, language, { name }) : mailText(kind, language);
  return {
    language,
    subject: mailText(`${kind}_subject`, language, { instance }),
    heading,
    event: eventBlock(discreetEvent(event, language), language),
    ...(message !== null && {
      quote: { by: name ?? mailText('people_someone', language), text: message },
    }),
    ...(links && {
      choices: answers.map((status) => toChoice(links.answer, status, language)),
      button: { text: mailText('invited_button', language), url: links.answer },
    }),
    footer: [
      mailText('invited_why', language, { instance }),
      ...(links ? [mailText('invited_keep', language)] : []),
      ...(links
        ? [{ text: mailText('invited_refuse', language, { instance }), url: links.refuse.page }]
        : []),
    ],
    ...(links && { unsubscribe: links.refuse.post }),
  };
}

const answers = ['going', 'interested', 'declined'] as const;

/** The page has this answer ready; opening it answers nothing. */
const toChoice = (url: string, status: (typeof answers)[number], language: Language): MailLink => ({
  text: mailText(`invited_${status}`, language),
  url: `${url}?answer=${status}`,
});

/** The mail of a notification to a contact that nobody has confirmed here: few words of people are in it, and none in its subject. */
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import type { MailContent } from '../../../mail/layout.ts';
import { mailText } from '../../../mail/mail-text.ts';
import { shownWords } from '../../../mail/shown-words.ts';
import type { MailedEvent } from './event-lines.ts';
import { type MailContext, type MailedNews, newsContent, sentenceOf } from './mail-content.ts';

/** An event with the words of its title and place that such a mail shows. */
export const discreetEvent = <E extends Pick<MailedEvent, 'title' | 'address'>>(
  event: E,
  language: Language,
): E => ({
  ...event,
  title: shownWords(event.title) ?? mailText('invited_event', language),
  address: shownWords(event.address) ?? '',
});

/** As `newsContent`, without what people write, bring and are called. */
export function discreetContent(news: MailedNews, language: Language, context: MailContext): MailContent {
  const { row, changes } = news;
  const shown: MailedNews = {
    ...news,
    row: {
      ...discreetEvent(row, language),
      reason: null,
      decision: row.decision && { ...row.decision, reason: null },
    },
    changes: changes && {
      ...changes,
      before: discreetEvent(changes.before, language),
      after: discreetEvent(changes.after, language),
    },
    ...{ names: [], brought: [], message: null },
  };
  const nameless = { ...shown.row, title: mailText('invited_event', language) };
  return {
    ...newsContent(shown, language, context),
    subject: sentenceOf({ row: nameless, names: [] }, language),
  };
}

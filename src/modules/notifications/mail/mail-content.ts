/** What the mails of the queue say. */
import { type Language, localeOf } from '../../../../web/src/lib/language/languages.ts';
import type { ReadyConfig } from '../../../config/config.ts';
import type { MailContent, MailLink } from '../../../mail/layout.ts';
import { type MailTextName, mailText } from '../../../mail/mail-text.ts';
import { senderName } from '../../../mail/sender-name.ts';
import type { Decision } from '../../../outbox/decisions.ts';
import type { NotificationKind } from '../../../outbox/kinds.ts';
import { kinds as itemKinds } from '../../items/schemas.ts';
import type { Changes } from '../notices.ts';
import type { NotificationRow } from '../present.ts';
import type { BroughtItem } from '../schemas.ts';
import { changeLines, eventBlock } from './event-lines.ts';

/** `links`: the URL that links begin with; null if mails lead to no page. */
export type MailContext = { instance: string; links: string | null };

export const mailContextOf = (
  { mail, publicUrl }: Pick<ReadyConfig, 'mail' | 'publicUrl'>,
  instance: string,
): MailContext => ({ instance, links: mail.hasLinks ? publicUrl : null });

/** A mail beside those of notifications: a `MailKind`. */
export const ownContent = (kind: string, language: Language, { instance }: MailContext): MailContent => ({
  language,
  subject: mailText(`${kind}_subject` as MailTextName, language, { instance }),
  heading: mailText(kind as MailTextName, language),
  footer: [mailText(`${kind}_why` as MailTextName, language, { instance })],
});

/** `names`: of those who caused it, the latest first; the name of a deleted account is left out. */
export type MailedNews = {
  row: NotificationRow;
  names: string[];
  brought: Pick<BroughtItem, 'kind' | 'title' | 'emoji' | 'quantity'>[];
  changes: Changes | null;
  /** The message of the organizer about the change. */
  message: string | null;
  /** The page on which a guest without an account, who is not signed in, sees the event; null for an account. */
  guestUrl: string | null;
  /** Where the person stops these mails: a page, and an address for mail programs. Null if mails lead to no page. */
  stop: { page: string; post: string } | null;
};

/** The sentence is that of the inbox, and the event is as it is now. */
export function newsContent(
  news: MailedNews,
  language: Language,
  { instance, links }: MailContext,
): MailContent {
  const { row, names, brought, changes, message, guestUrl, stop } = news;
  const name = senderName(row.kind === 'reports' ? undefined : names[0]);
  const sentence = sentenceOf(news, language);
  const writer = names[0] ?? mailText('people_someone', language);
  const kind = mailText(`people_kind_${snakeCase(row.kind)}` as MailTextName, language);
  return {
    language,
    subject: sentence,
    heading: sentence,
    ...(row.eventId !== null && { event: eventBlock(row, language) }),
    paragraphs: [
      ...[row.reason, row.decision?.reason].filter((reason) => typeof reason === 'string'),
      ...(changes ? changeLines(changes, language) : []),
      ...(message === null
        ? []
        : [row.kind === 'announcement' ? message : wordsOf(message, writer, language)]),
    ],
    lists: listsOf(brought, language),
    ...(links !== null && { button: buttonOf(news, links, language) }),
    footer: footerOf({ kind, stop, hasAccount: guestUrl === null }, language, instance),
    ...(name !== undefined && { sender: mailText('news_sender', language, { name, instance }) }),
    ...(stop && { unsubscribe: stop.post }),
  };
}

/** Of the organizer, about a change. */
const wordsOf = (text: string, name: string, language: Language): string =>
  mailText('people_writes', language, { name, text });

/** What the person brings, and of the wish list, what they give. */
const listsOf = (brought: MailedNews['brought'], language: Language) =>
  itemKinds
    .map((kind) => ({
      title: mailText(kind === 'wish' ? 'people_news_give' : 'people_news_bring', language),
      items: brought
        .filter((item) => item.kind === kind)
        .map(({ title, emoji, quantity }) =>
          mailText('people_quantity', language, { quantity, title: `${emoji} ${title}` }),
        ),
    }))
    .filter(({ items }) => items.length > 0);

/** @param mail `kind`: the name of the kind in the settings */
export const footerOf = (
  { kind, stop, hasAccount = true }: { kind: string; hasAccount?: boolean } & Pick<MailedNews, 'stop'>,
  language: Language,
  instance: string,
): MailContent['footer'] => [
  mailText(hasAccount ? 'news_why' : 'news_why_guest', language, { instance, kind }),
  ...(stop ? [{ text: mailText('news_stop', language), url: stop.page }] : []),
];

const snakeCase = (kind: NotificationKind | Decision['what']): string =>
  kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** People whom a sentence names, before the others are counted. */
const maxNames = 2;

export function sentenceOf({ row, names }: Pick<MailedNews, 'row' | 'names'>, language: Language): string {
  const { kind, title, count, decision } = row;
  const [name = mailText('people_someone', language)] = names;
  if (decision) {
    const text = `people_decision_${snakeCase(decision.what)}` as MailTextName;
    return mailText(text, language, { title: title ?? '' });
  }
  if (kind !== 'follower' || names.length < 2)
    return mailText(`people_news_${snakeCase(kind)}` as MailTextName, language, {
      title: title ?? '',
      name,
      count,
    });
  const others = names.length - maxNames;
  const listed = [
    ...names.slice(0, maxNames),
    ...(others > 0 ? [mailText('people_others', language, { count: others })] : []),
  ];
  return mailText('people_news_followers', language, {
    names: new Intl.ListFormat(localeOf[language]).format(listed),
  });
}

function buttonOf({ row, names, guestUrl }: MailedNews, links: string, language: Language): MailLink {
  const { kind, eventId, personId } = row;
  if (eventId !== null)
    return { text: mailText('news_see_event', language), url: guestUrl ?? `${links}/e/${eventId}` };
  if (kind === 'reports')
    return { text: mailText('news_see_reports', language), url: `${links}/admin/reports` };
  if (kind === 'sourceFailed')
    return { text: mailText('news_see_sources', language), url: `${links}/import` };
  if (kind === 'decision')
    return { text: mailText('news_see_notifications', language), url: `${links}/notifications` };
  if (kind === 'message')
    return { text: mailText('news_see_message', language), url: `${links}/messages/${personId}#newest` };
  return names.length > 1
    ? { text: mailText('news_see_followers', language), url: `${links}/notifications` }
    : { text: mailText('news_see_person', language), url: `${links}/u/${personId}` };
}

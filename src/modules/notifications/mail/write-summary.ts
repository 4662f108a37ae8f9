/** Writes the daily mail of an organizer: what is unread of what people have done at the events. */
import { sql } from '#pg';
import type { Language } from '../../../../web/src/lib/language/languages.ts';
import type { MailContent } from '../../../mail/layout.ts';
import { mailText } from '../../../mail/mail-text.ts';
import type { QueuedMail } from '../../../mail/mails.ts';
import { mailedLevels, type SummaryKind, summaryKinds } from '../../../outbox/kinds.ts';
import type { PeopleServices } from '../../people/services.ts';
import { inboxSize } from '../delivery/repo.ts';
import type { NotificationRow } from '../present.ts';
import { listNotifications } from '../repo.ts';
import { unsubscribeLinks } from '../unsubscribe/unsubscribe-tokens.ts';
import { footerOf, type MailContext, type MailedNews, sentenceOf } from './mail-content.ts';

/** Lines of a mail. The button leads to the others. */
const maxLines = 20;

/** @returns null if nothing is unread any more, or the person wants no such mails */
export async function writeSummary(
  { db, config }: Pick<PeopleServices, 'db' | 'config'>,
  { userId, address, language }: QueuedMail,
  context: MailContext,
): Promise<MailContent | null> {
  const [chosen, unread] = await Promise.all([
    db.query<{ kind: SummaryKind }>(sql`
      select t.kind from notification_settings t join users u on u.id = t.user_id
      where t.user_id = ${userId} and t.level = any(${mailedLevels}) and t.kind = any(${summaryKinds})
        and u.email = ${address} and u.suspended_at is null`),
    listNotifications(db, { id: userId, role: 'user' }, { before: null, limit: inboxSize, unreadOnly: true }),
  ]);
  const rows = unread.filter((row) => chosen.some(({ kind }) => kind === row.kind));
  if (rows.length === 0) return null;
  const stop = config.mail.hasLinks ? unsubscribeLinks(config, { userId, kind: 'summary' }) : null;
  return summaryContent({ rows, stop }, language, context);
}

export type MailedSummary = { rows: NotificationRow[] } & Pick<MailedNews, 'stop'>;

export function summaryContent(
  { rows, stop }: MailedSummary,
  language: Language,
  { instance, links }: MailContext,
): MailContent {
  const title = mailText('summary_subject', language, { instance });
  return {
    language,
    subject: title,
    heading: mailText('summary', language),
    lists: [{ items: rows.slice(0, maxLines).map((row) => sentenceOf({ row, names: [] }, language)) }],
    ...(links !== null && {
      button: { text: mailText('summary_see', language), url: `${links}/notifications` },
    }),
    footer: footerOf({ kind: mailText('people_kind_summary', language), stop }, language, instance),
    ...(stop && { unsubscribe: stop.post }),
  };
}

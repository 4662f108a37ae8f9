/** Writes the mails of the queue, as things are when they are sent. */
import { sql } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { isMailKind } from '../../../mail/kinds.ts';
import type { MailContent } from '../../../mail/layout.ts';
import { mediumOf, type QueuedMail } from '../../../mail/mails.ts';
import { senderName } from '../../../mail/sender-name.ts';
import { isAddressed } from '../../../outbox/announcements.ts';
import { anonymousKinds, countedKinds, type DeliveredKindName, mailRuleOf } from '../../../outbox/kinds.ts';
import { listExactPlacesFor } from '../../events/exact-place.ts';
import { isInvitedKind } from '../../invitations/invitation-mails.ts';
import { listPeople } from '../../people/repo.ts';
import type { PeopleServices } from '../../people/services.ts';
import { inboxSize } from '../delivery/repo.ts';
import { listNotices, newsOf } from '../notices.ts';
import type { NotificationRow } from '../present.ts';
import { findUnreadNotification, listBroughtItems, listNotifications } from '../repo.ts';
import { unsubscribeLinks } from '../unsubscribe/unsubscribe-tokens.ts';
import { calendarPart } from './calendar-part.ts';
import { discreetContent } from './discreet-content.ts';
import { findReader, guestUrlOf, type NotificationMail, type Reader } from './find-reader.ts';
import { type MailedNews, mailContextOf, newsContent, ownContent } from './mail-content.ts';
import { writeInvitationMail } from './write-invitation-mail.ts';
import { writeSummary } from './write-summary.ts';

type WriteServices = Pick<PeopleServices, 'db' | 'clock' | 'config' | 'instance'>;

const isOfNotification = (mail: QueuedMail): mail is NotificationMail => !isMailKind(mail.kind);

/** @returns null for a mail that is not to be sent: it says nothing new to the person, or nothing that the person may see */
export async function writeMail(services: WriteServices, mail: QueuedMail): Promise<MailContent | null> {
  const { name } = await services.instance.settings();
  const context = mailContextOf(services.config, name);
  if (mail.kind === 'summary') return writeSummary(services, mail, context);
  if (isInvitedKind(mail.kind)) return writeInvitationMail(services, mail, context);
  if (!isOfNotification(mail)) return ownContent(mail.kind, mail.language, context);
  const reader = await findReader(services, mail);
  if (!reader) return null;
  const rows = await listMailedNotifications(services, mail);
  const [first] = rows;
  if (!first) return null;
  const row = await withPlaceFor(services, mail.userId, first);
  // What other people do is no reason to change a calendar, and the person of a count is not the organizer.
  const isFromOrganizer = row.eventId !== null && !countedKinds.includes(row.kind);
  const [news, calendar, replyTo] = await Promise.all([
    readNews(services, { mail, reader, row, rows }),
    isFromOrganizer && !kindsWithoutCalendar.includes(mail.kind) ? calendarPart(services, mail) : null,
    isFromOrganizer ? findReplyAddress(services, row) : null,
  ]);
  if (!isConfirmed(reader, row)) return discreetContent(news, mail.language, context);
  if (mediumOf(mail) === 'text' && !isWorthText(news)) return null;
  const content = newsContent(news, mail.language, context);
  return { ...content, ...(calendar && { calendar }), ...(replyTo && { replyTo }) };
}

/** Mails about an event that say nothing of its time and place. */
const kindsWithoutCalendar: DeliveredKindName[] = ['announcement', ...anonymousKinds];

/** Text messages cost money: of changes, they tell those of the time and the place, and that the event takes place again. */
const isWorthText = ({ row, changes }: MailedNews): boolean =>
  row.kind !== 'eventChanged' || changes?.parts.some((part) => part !== 'title') === true;

/**
 * The organizer of the event, if they allow replies as the mail is sent. Notifications name no organizer across a block, nor one
 * who is suspended.
 */
async function findReplyAddress(
  { db }: WriteServices,
  { personId }: NotificationRow,
): Promise<MailContent['replyTo'] | null> {
  const [organizer] = await db.query<{ name: string; address: string }>(sql`
    select name, email as address from users where id = ${personId} and mail_replies and email is not null`);
  return organizer ? { ...organizer, name: senderName(organizer.name) ?? '' } : null;
}

/** The notification with the place as the recipient may see it. */
async function withPlaceFor(
  { db }: WriteServices,
  userId: string,
  row: NotificationRow,
): Promise<NotificationRow> {
  if (row.eventId === null) return row;
  const place = (await listExactPlacesFor(db, { id: userId, role: 'user' }, [row.eventId])).get(row.eventId);
  return place ? { ...row, address: place.address } : row;
}

/** A guest who was removed keeps the contact of an invitation, which no code has confirmed. */
const isConfirmed = (reader: Reader, { decision }: NotificationRow): boolean =>
  reader.hasAccount || (reader.invitation === null && decision?.what !== 'removed');

type FoundNews = { mail: NotificationMail; reader: Reader; row: NotificationRow; rows: NotificationRow[] };

async function readNews(
  { db, config }: WriteServices,
  { mail: { kind, userId, subjectId }, reader, row, rows }: FoundNews,
): Promise<MailedNews> {
  const personIds = rows.flatMap(({ personId }) => personId ?? []);
  const [people, brought, notices] = await Promise.all([
    listPeople(db, personIds),
    listBroughtItems(db, userId, kind === 'reminder' ? [subjectId] : []),
    listNotices(db, [row]),
  ]);
  const { changes, announcement } = newsOf(row, notices);
  const names = personIds.flatMap((id) => people.find((person) => person.id === id)?.name ?? []);
  return {
    row,
    names,
    brought,
    changes,
    message: announcement?.text ?? null,
    guestUrl: guestUrlOf(config, reader, row),
    stop: config.mail.hasLinks ? unsubscribeLinks(config, { userId, kind }) : null,
  };
}

/** The unread notifications that the mail is about, the newest first. */
async function listMailedNotifications(
  { db, clock }: WriteServices,
  mail: NotificationMail,
): Promise<NotificationRow[]> {
  const { userId, kind, subjectId } = mail;
  const viewer = { id: userId, role: 'user' } as const;
  if (kind === 'announcement') return await listAnnounced(db, viewer, mail, clock());
  if (!mailRuleOf(kind).isCollected) {
    const row = await findUnreadNotification(db, viewer, { kind, subjectId });
    return row ? [row] : [];
  }
  const unread = await listNotifications(db, viewer, { before: null, limit: inboxSize, unreadOnly: true });
  return unread.filter((row) => row.kind === kind);
}

/** The notification of an announcement that the person has not read since it was mailed, and that is still for the person. */
async function listAnnounced(
  db: WriteServices['db'],
  viewer: Viewer,
  { subjectId, createdAt }: NotificationMail,
  now: Date,
): Promise<NotificationRow[]> {
  const row = await findUnreadNotification(db, viewer, { about: subjectId, notReadSince: createdAt });
  return row?.eventId && (await isAddressed(db, subjectId, viewer.id, now)) ? [row] : [];
}

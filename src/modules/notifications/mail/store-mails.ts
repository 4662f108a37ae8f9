/** Stores the mails of notifications, in the transaction that writes the notifications. A job sends them. */
import { dayMs, minId, newId } from '#base';
import { type Queryable, type Statement, sql } from '#pg';
import { baseLanguage, type Language } from '../../../../web/src/lib/language/languages.ts';
import { listLastMails, mediumOf, type NewMail, prepareMails } from '../../../mail/mails.ts';
import { type DeliveredKindName, mailRuleOf } from '../../../outbox/kinds.ts';
import { listInvitedAddresses } from '../../invitations/invited-guests.ts';

/** A notification that is mailed too. `sourceId`: the person who caused it. */
export type MailedNotification = {
  userId: string;
  kind: DeliveredKindName;
  subjectId: string;
  sourceId: string;
};

/** `address`: a mail address, or the phone number of a guest without an account. */
type Mailbox = { userId: string; address: string; language: Language | null };
/** `address`: null for a guest without a contact. */
type FoundMailbox = Omit<Mailbox, 'address'> & { address: string | null };

/** The longest pause between mails of a kind. */
const maxPauseMs = dayMs;

/**
 * Reads what decides about mails: the addresses and languages of the recipients, and the mails before.
 * @param hasMailer whether the server sends mails; otherwise only text messages are stored
 * @returns makes the statements that store the mails of notifications. People without a confirmed address get none
 */
export async function prepareNotificationMails(
  db: Queryable,
  { userIds, sourceIds, kinds }: { userIds: string[]; sourceIds: string[]; kinds: DeliveredKindName[] },
  { hasMailer, now }: { hasMailer: boolean; now: Date },
): Promise<(notifications: MailedNotification[]) => Statement[]> {
  const mailboxes = await listMailboxes(db, userIds, hasMailer);
  if (mailboxes.length === 0) return () => [];
  const mailedIds = mailboxes.map(({ userId }) => userId);
  const [last, conversations, insert] = await Promise.all([
    listLastMails(db, { userIds: mailedIds, kinds, after: new Date(now.getTime() - maxPauseMs) }),
    kinds.includes('message') ? listMailedConversations(db, mailedIds) : [],
    prepareMails(db, sourceIds, now),
  ]);
  const mailboxOf = new Map(mailboxes.map((mailbox) => [mailbox.userId, mailbox]));
  const lastAt = new Map(last.map((mail) => [keyOf(mail), mail.lastAt.getTime()]));
  const isMailed = new Set(conversations.map((conversation) => keyOf({ ...conversation, kind: 'message' })));
  const toMail = (notification: MailedNotification): NewMail[] => {
    const { userId, kind, sourceId } = notification;
    const mailbox = mailboxOf.get(userId);
    if (!mailbox || isMailed.has(keyOf(notification))) return [];
    const { pauseMs, waitMs = 0, isCollected, isTexted } = mailRuleOf(kind);
    if (mediumOf(mailbox) === 'text' && !isTexted) return [];
    const subjectId = isCollected ? userId : notification.subjectId;
    const nextAt = (lastAt.get(keyOf({ userId, kind, subjectId })) ?? 0) + pauseMs;
    return [
      {
        ...{ userId, id: newId(), kind, subjectId, sourceId },
        ...{ address: mailbox.address, language: mailbox.language ?? baseLanguage },
        dueAt: new Date(Math.max(now.getTime() + waitMs, nextAt)),
      },
    ];
  };
  return (notifications) => {
    const mails = new Map(notifications.flatMap(toMail).map((mail) => [keyOf(mail), mail]));
    return mails.size === 0 ? [] : [insert([...mails.values()])];
  };
}

/** Guests without a contact get mails at the addresses of their invitations. */
async function listMailboxes(db: Queryable, userIds: string[], hasMailer: boolean): Promise<Mailbox[]> {
  const found = await db.query<FoundMailbox>(sql`
    select id as user_id, coalesce(email, phone) as address, language from users
    where id = any(${userIds}::uuid[])
      and ((email is not null and ${hasMailer}) or (email is null and guest_of is not null))`);
  const withoutContact = found.flatMap(({ userId, address }) => (address === null ? [userId] : []));
  const invited = hasMailer ? await listInvitedAddresses(db, withoutContact) : [];
  const invitedAt = new Map(invited.map(({ userId, address }) => [userId, address]));
  return found.flatMap((mailbox) => {
    const address = mailbox.address ?? invitedAt.get(mailbox.userId);
    return address === undefined ? [] : { ...mailbox, address };
  });
}

const keyOf = ({ userId, kind, subjectId }: { userId: string; kind: string; subjectId: string }): string =>
  `${userId} ${kind} ${subjectId}`;

/** The conversations of which a mail was stored, with an unread message that is older than the mail. */
const listMailedConversations = (
  db: Queryable,
  userIds: string[],
): Promise<{ userId: string; subjectId: string }[]> =>
  db.query(sql`
    select distinct m.user_id, m.subject_id from mails m
    join conversations c on c.user_id = m.user_id and c.other_id = m.subject_id
    where m.user_id = any(${userIds}::uuid[]) and m.kind = 'message' and c.unread_count > 0
      and exists (
        select 1 from messages x
        where x.user_id = c.user_id and x.other_id = c.other_id and not x.is_own
          and x.id > coalesce(c.read_id, ${minId}::uuid) and x.id < m.id)`);

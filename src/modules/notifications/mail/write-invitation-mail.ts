/** Writes the mails of invitations as things are when they are sent, and tells the invitation why one is not sent. */
import { dayMs } from '#base';
import { type Queryable, sql } from '#pg';
import type { MailContent } from '../../../mail/layout.ts';
import type { QueuedMail } from '../../../mail/mails.ts';
import { type Level, reaches } from '../../../outbox/kinds.ts';
import { findOwner } from '../../accounts/accounts.ts';
import { hashContact } from '../../accounts/codes/hashes.ts';
import { invitationOf, invitedKinds } from '../../invitations/invitation-mails.ts';
import { findInvitedEvent } from '../../invitations/invited-dates.ts';
import { mayLeave, mayRemind } from '../../invitations/may-leave.ts';
import { isRefused, refusalLinks } from '../../invitations/refusals.ts';
import { contactOf, findInvitation, type InvitationRow, storeDelivery } from '../../invitations/repo.ts';
import { invitationUrl } from '../../invitations/token.ts';
import { listBlocked } from '../../people/blocks.ts';
import type { PeopleServices } from '../../people/services.ts';
import { invitationContent } from './invitation-content.ts';
import type { MailContext } from './mail-content.ts';

type WriteServices = Pick<PeopleServices, 'db' | 'clock' | 'config'>;

/** How old the account of the inviter is before its words are mailed to strangers. */
const messageAgeMs = 2 * dayMs;

/** @returns null for a mail that is not to be sent, which is stored in the invitation */
export async function writeInvitationMail(
  services: WriteServices,
  mail: QueuedMail,
  context: MailContext,
): Promise<MailContent | null> {
  const { db, config, clock } = services;
  const row = await findInvitation(db, mail.userId);
  const contact = row && contactOf(row);
  if (!row || contact?.value !== mail.address) return null;
  const contactHash = hashContact(config.secretKey, contact);
  const [event, inviter, isRefusing] = await Promise.all([
    findInvitedEvent(db, row, clock()),
    findInviter(db, row.inviterId),
    isRefused(db, contactHash),
  ]);
  // What every inviter would see.
  const isReminder = mail.kind === invitedKinds.reminder;
  const isWanted = (isReminder ? mayRemind : mayLeave)(event, clock());
  const isFailed = isRefusing || !event || !inviter || !(isWanted || isReminder);
  if (isFailed || !isWanted || (await isSilent(db, row, mail))) {
    await storeDelivery(db, invitationOf(mail), isFailed ? 'failed' : 'sent');
    return null;
  }
  const isOld = clock().getTime() - inviter.createdAt.getTime() >= messageAgeMs;
  const invitation = {
    kind: invitedKinds[isReminder ? 'reminder' : 'first'],
    ...{ inviter: inviter.name, event, message: isOld ? row.message : null },
    links: config.mail.hasLinks
      ? { answer: invitationUrl(config, row.id), refuse: refusalLinks(config, contactHash) }
      : null,
  };
  return invitationContent(invitation, mail.language, context);
}

type Inviter = { name: string; createdAt: Date };

/** Null for a suspended account. */
async function findInviter(db: Queryable, id: string): Promise<Inviter | null> {
  const [found] = await db.query<Inviter>(
    sql`select name, created_at from users where id = ${id} and suspended_at is null`,
  );
  return found ?? null;
}

/**
 * Whether the owner of the contact is not to be told, which nobody else learns: the invitation has an answer; or the account that
 * has the contact is suspended, does not want such mails, has blocked the inviter or was blocked; or it has answered otherwise.
 */
async function isSilent(
  db: PeopleServices['db'],
  row: InvitationRow,
  { kind }: QueuedMail,
): Promise<boolean> {
  if (row.status !== 'pending') return true;
  const contact = contactOf(row);
  const owner = contact && (await findOwner(db, contact));
  if (!owner) return false;
  const [accounts, blocked, answers] = await Promise.all([
    db.query<{ level: Level | null }>(sql`
      select t.level from users u left join notification_settings t on t.user_id = u.id and t.kind = 'invitation'
      where u.id = ${owner} and u.suspended_at is null`),
    listBlocked(db, [owner], true),
    db.query(
      row.isOfSeries
        ? sql`select 1 as found from series_rsvps where series_id = ${row.subjectId} and user_id = ${owner}`
        : sql`select 1 as found from rsvps where event_id = ${row.subjectId} and user_id = ${owner}`,
    ),
  ]);
  const [account] = accounts;
  const isUnwanted = !account || !reaches('invitation', account.level ?? undefined, 'mail');
  const isBlocked = blocked.some(({ otherId }) => otherId === row.inviterId);
  return (
    isUnwanted ||
    isBlocked ||
    owner === row.inviterId ||
    (kind === invitedKinds.reminder && answers.length > 0)
  );
}

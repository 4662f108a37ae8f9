/** Who reads a mail of a notification. */
import { sql } from '#pg';
import type { ReadyConfig } from '../../../config/config.ts';
import { mediumOf, type QueuedMail } from '../../../mail/mails.ts';
import {
  type DeliveredKindName,
  type FanOutKind,
  fanOuts,
  type Level,
  reaches,
} from '../../../outbox/kinds.ts';
import { hashContact } from '../../accounts/codes/hashes.ts';
import { findInvitationOfGuest } from '../../invitations/invited-guests.ts';
import { mailTokenOf } from '../../invitations/mail-token.ts';
import { isRefused } from '../../invitations/refusals.ts';
import type { InvitationRow } from '../../invitations/repo.ts';
import { invitationUrl } from '../../invitations/token.ts';
import type { PeopleServices } from '../../people/services.ts';
import { isCurrent } from '../delivery/fan-out.ts';
import type { NotificationRow } from '../present.ts';

type ReadServices = Pick<PeopleServices, 'db' | 'clock' | 'config'>;

export type NotificationMail = QueuedMail & { kind: DeliveredKindName };

/**
 * `invitation`: that of a guest without an account and a contact, whose mails go to the address that was invited; null for the owner of
 * the address.
 */
export type Reader = { hasAccount: boolean; invitation: InvitationRow | null };

/** The text messages to a guest about the event. */
const maxTexts = 3;

/**
 * The person, if the address is still theirs, they want such mails, no newer mail says the same, and the reason holds: an event
 * that takes place again causes no mail that it is cancelled. Otherwise null.
 */
export async function findReader(
  { db, clock, config }: ReadServices,
  mail: NotificationMail,
): Promise<Reader | null> {
  const { userId, id, kind, subjectId, address } = mail;
  // Two statements, because the event and the person may be on different nodes.
  const [events, [row]] = await Promise.all([
    // What an announcement depends on is read with its notification.
    isFanOut(kind) && kind !== 'announcement'
      ? db.query(sql`select 1 from events e where e.id = ${subjectId} and ${isCurrent(kind, clock())}`)
      : null,
    db.query<{ hasAccount: boolean; isOwner: boolean; level: Level | null }>(sql`
      select t.level, u.guest_of is null as has_account, coalesce(${address} in (u.email, u.phone), false) as is_owner
      from users u left join notification_settings t on t.user_id = u.id and t.kind = ${kind}
      where u.id = ${userId} and u.suspended_at is null and not exists (
        select 1 from mails m
        where m.user_id = ${userId} and m.kind = ${kind} and m.subject_id = ${subjectId} and m.id > ${id})
        and (${mediumOf(mail) === 'mail'} or ${maxTexts} > (
          select count(*) from mails m where m.user_id = ${userId} and m.address = ${address} and m.state = 'sent'))`),
  ]);
  if (events?.length === 0 || !row || !reaches(kind, row.level ?? undefined, 'mail')) return null;
  const { hasAccount } = row;
  if (row.isOwner) return { hasAccount, invitation: null };
  const invitation = await findInvitationOfGuest(db, userId, address);
  if (!invitation) return null;
  const contactHash = hashContact(config.secretKey, { kind: 'email', value: address });
  return (await isRefused(db, contactHash)) ? null : { hasAccount, invitation };
}

const isFanOut = (kind: string): kind is FanOutKind => Object.hasOwn(fanOuts, kind);

/**
 * The page on which a guest without an account sees the event of a notification; null for an account. By the link of an invitation, its
 * guest answers. Others get a code on the page: the link is no key.
 */
export function guestUrlOf(
  config: Pick<ReadyConfig, 'publicUrl' | 'secretKey'>,
  { hasAccount, invitation }: Reader,
  { eventId, visibility }: NotificationRow,
): string | null {
  if (hasAccount || eventId === null) return null;
  if (invitation) return invitationUrl(config, invitation.id);
  const again = `${config.publicUrl}/e/${eventId}/answer?again`;
  if (visibility !== 'private') return again;
  return `${again}&invitation=${mailTokenOf(config.secretKey, { eventId, invitationId: null })}`;
}

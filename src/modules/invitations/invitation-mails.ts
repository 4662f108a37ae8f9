/** Mails to contacts that are invited: the recipient of such a mail is the invitation, and its subject the event. */
import type { Queryable } from '#pg';
import type { MailKind } from '../../mail/kinds.ts';
import type { QueuedMail } from '../../mail/mails.ts';
import { type InvitationKey, storeDelivery } from './repo.ts';

export const invitedKinds = { first: 'invited', reminder: 'invited_reminder' } as const satisfies Record<
  string,
  MailKind
>;

export const isInvitedKind = (kind: string): boolean => Object.values<string>(invitedKinds).includes(kind);

export const invitationOf = ({ userId: id, subjectId }: QueuedMail): InvitationKey => ({ subjectId, id });

/** Stores in the invitation what became of a mail of any kind. */
export async function endInvitationMail(db: Queryable, mail: QueuedMail, isSent: boolean): Promise<void> {
  if (isInvitedKind(mail.kind)) await storeDelivery(db, invitationOf(mail), isSent ? 'sent' : 'failed');
}

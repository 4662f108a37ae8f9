/** What follows when invitations end. */
import { deleteRows, isOneOf, sql, type Transaction } from '#pg';
import { deleteMailsAt, deleteMailsTo } from '../../mail/mails.ts';
import { lockAndDelete } from '../../outbox/delete-notifications.ts';
import { listOwners } from '../accounts/accounts.ts';
import { type InvitedPerson, refreshInvited } from './invited-people.ts';
import { contactOf, type InvitationRow } from './repo.ts';

/** Whether the person goes or is interested by the invitation: then the answer stays without it. */
const isKept = ({ status }: InvitationRow): boolean => status === 'going' || status === 'interested';

/**
 * Deletes invitations, which the transaction has locked, with their links, what waits to be sent, and, of those without an answer,
 * all that they gave: the notification, and that the person is invited.
 */
export async function endInvitations(tx: Transaction, rows: InvitationRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(deleteRows('invitations i', rows, { subjectId: 'uuid', id: 'uuid' }));
  const unanswered = rows.filter((row) => !isKept(row));
  await refreshInvited(tx, await listInvited(tx, unanswered));
  for (const { userId, subjectId, isOfSeries } of unanswered.filter(({ isById }) => isById)) {
    // A notification of one to a series shows a date.
    const isAbout = isOfSeries
      ? sql`subject_id in (select id from events where series_id = ${subjectId})`
      : sql`subject_id = ${subjectId}`;
    const isOfIt = sql`user_id = ${userId} and kind = 'invitation' and ${isAbout}`;
    await lockAndDelete(tx, 'notification_causes', isOfIt);
    await lockAndDelete(tx, 'notifications', isOfIt);
  }
  await endMessages(tx, rows);
}

/**
 * Deletes the messages of invitations: those that wait, and the addresses of mails that were sent, also of those about the guests whom
 * their links have made.
 */
export async function endMessages(
  tx: Transaction,
  rows: Pick<InvitationRow, 'id' | 'guestId' | 'contact'>[],
): Promise<void> {
  const ids = rows.map(({ id }) => id);
  await tx.execute(
    sql`delete from invitation_sends where ${isOneOf(sql`invitation_id`, ids)} and leaves_at is null`,
  );
  await deleteMailsTo(tx, ids);
  await deleteMailsAt(
    tx,
    rows.flatMap(({ guestId, contact }) =>
      guestId !== null && contact !== null ? { userId: guestId, address: contact } : [],
    ),
  );
}

/** The accounts that are invited by these invitations: by their ids, or by contacts that they have confirmed. */
export async function listInvited(tx: Transaction, rows: InvitationRow[]): Promise<InvitedPerson[]> {
  const owners = await listOwners(
    tx,
    rows.flatMap((row) => contactOf(row) ?? []),
  );
  const people = rows.flatMap(({ subjectId, isOfSeries, userId, contact }) =>
    [userId, owners.get(contact ?? '')].flatMap((id) => (id ? { subjectId, isOfSeries, userId: id } : [])),
  );
  return [...new Map(people.map((person) => [`${person.subjectId} ${person.userId}`, person])).values()];
}

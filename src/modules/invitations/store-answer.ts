/** What answers write to invitations, whose rows the transaction has locked. */
import { sql, type Transaction } from '#pg';
import type { UnlockedCaller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { InvitedTo } from './invited-dates.ts';
import { markInvited } from './invited-people.ts';
import { type InvitationKey, type InvitationRow, type InvitationStatus, isForMany } from './repo.ts';

/** `reply`: null keeps it. */
type StoredAnswer = { status: InvitationStatus; extraGuests: number; reply: string | null };

/**
 * Stores the answer of a person, whose the invitation becomes: the person is invited from now on, also with a `declined`.
 * @param person null for a guest who declines before there is one
 */
export async function storeAnswer(
  tx: Transaction,
  { subjectId, id, isOfSeries }: InvitationKey & InvitedTo,
  person: Pick<UnlockedCaller, 'id' | 'hasAccount'> | null,
  { status, extraGuests, reply }: StoredAnswer,
  now: Date,
): Promise<void> {
  const [userId, guestId] = person?.hasAccount ? [person.id, null] : [null, person?.id ?? null];
  await tx.execute(sql`
    update invitations set status = ${status}, extra_guests = ${extraGuests}, reply = coalesce(${reply}, reply),
      answered_at = ${now}, user_id = coalesce(${userId}, user_id), guest_id = coalesce(${guestId}, guest_id)
    where subject_id = ${subjectId} and id = ${id}`);
  if (person) await markInvited(tx, { subjectId, isOfSeries }, [person.id]);
}

/**
 * Counts a person's first answer by a link for many as a use. The person is invited from now on.
 * @throws Problem `link_used_up`
 */
async function countUse(tx: Transaction, invitation: InvitationRow, userId: string): Promise<void> {
  const { subjectId, id, uses, maxUses } = invitation;
  const isFirst = await tx.execute(sql`
    insert into invitation_uses (subject_id, invitation_id, user_id) values (${subjectId}, ${id}, ${userId})
    on conflict do nothing`);
  await markInvited(tx, invitation, [userId]);
  if (isFirst === 0) return;
  if (uses >= maxUses) throw new Problem('link_used_up');
  await tx.execute(
    sql`update invitations set uses = uses + 1 where subject_id = ${subjectId} and id = ${id}`,
  );
}

/**
 * Stores that a person comes, or is interested, by an invitation: as a use of a link for many, or as the answer to the invitation.
 * @throws Problem `link_used_up`
 */
export async function storeAccepted(
  tx: Transaction,
  invitation: InvitationRow,
  person: Pick<UnlockedCaller, 'id' | 'hasAccount'>,
  answer: StoredAnswer,
  now: Date,
): Promise<void> {
  if (isForMany(invitation)) await countUse(tx, invitation, person.id);
  else await storeAnswer(tx, invitation, person, answer, now);
}

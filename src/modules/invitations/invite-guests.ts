/** Invites the people who answered an event that becomes private. */
import { isOneOf, sql, type Transaction } from '#pg';
import type { PrivacyHook } from '../../http/define-module.ts';
import { lockEventCounters } from '../attendance/lock-event-counters.ts';
import { writeStandings } from '../events/event-people.ts';
import { newInvitation, requireRoom } from './make-invitations.ts';
import { insertInvitations } from './repo.ts';

/** `status` is null for a person of the waitlist without an RSVP. */
type Answer = {
  userId: string;
  status: 'going' | 'interested' | null;
  extraGuests: number;
  answeredAt: Date | null;
};

/**
 * Gives each account that answered the event an invitation by its id with that answer, as if it had answered the invitation. They know
 * of the event, so nobody is told, and no limit of a day counts them. Guests without an account see their event always.
 * @throws Problem `invitations_full`
 */
export const inviteGuests: PrivacyHook = async (tx, { eventId, organizerId, callerId, now }) => {
  // Answers, and deletions of accounts with an answer, are decided before or after it.
  await lockEventCounters(tx, [eventId], sql`1 as locked`, true);
  const answers = (await listAnswers(tx, eventId)).filter(({ userId }) => userId !== organizerId);
  if (answers.length === 0) return;
  await requireRoom(tx, eventId, answers.length);
  const rows = answers.map((answer) => ({
    ...newInvitation({
      ...{
        subjectId: eventId,
        isOfSeries: false,
        inviterId: callerId,
        userId: answer.userId,
        createdAt: now,
      },
      ...{ key: null, contact: null, name: null, message: null, maxUses: 1, expiresAt: null },
    }),
    ...answer,
    ...(answer.status === null && { status: 'pending' as const, answeredAt: null }),
    delivery: 'sent' as const,
    tokenHash: null,
  }));
  await insertInvitations(tx, rows);
  await tx.execute(
    writeStandings(
      answers.map(({ userId }) => ({ eventId, userId })),
      { isInvited: true },
    ),
  );
};

/** The answers of accounts that are not invited yet. Seats count as an answer without an RSVP, too. */
async function listAnswers(tx: Transaction, eventId: string): Promise<Answer[]> {
  const answers = await tx.query<Answer>(sql`
    select a.user_id, coalesce(r.status, case b.status when 'booked' then 'going' end) as status,
      coalesce(r.extra_guests, 0)::int as extra_guests, coalesce(r.created_at, b.created_at) as answered_at
    from (
      select event_id, user_id from rsvps where event_id = ${eventId}
      union select event_id, user_id from bookings where event_id = ${eventId}
    ) a
    left join rsvps r on r.event_id = a.event_id and r.user_id = a.user_id
    left join bookings b on b.event_id = a.event_id and b.user_id = a.user_id
    left join event_people p on p.event_id = a.event_id and p.user_id = a.user_id
    where p.is_invited is not true
    order by a.user_id`);
  const ids = answers.map(({ userId }) => userId);
  // Apart, because a cluster stores accounts elsewhere.
  const accounts = await tx.query<{ id: string }>(
    sql`select id from users where ${isOneOf(sql`id`, ids)} and guest_of is null`,
  );
  const isAccount = new Set(accounts.map(({ id }) => id));
  return answers.filter(({ userId }) => isAccount.has(userId));
}

import { type Statement, sql, updateRows } from '#pg';
import type { RsvpCommand } from './policy.ts';
import type { ExistingRsvp } from './repo.ts';

/** The answer of an account that was invited by its id. `pending`: it has taken its answer back. */
export type InvitationAnswer = {
  subjectId: string;
  userId: string;
  status: 'going' | 'interested' | 'pending';
  extraGuests: number;
};

/** The answer that an RSVP is. */
export const answerOf = (
  { eventId, caller, status, extraGuests }: RsvpCommand,
  existing: ExistingRsvp | null,
): InvitationAnswer => ({
  subjectId: eventId,
  userId: caller.id,
  status: status ?? 'pending',
  extraGuests: status === null ? 0 : (extraGuests ?? existing?.extraGuests ?? 0),
});

/** Writes answers to the invitations of accounts by their ids. The transaction must hold a lock on the counters of the events. */
export const answerInvitations = (answers: InvitationAnswer[], now: Date): Statement =>
  updateRows(
    'invitations i',
    answers,
    { subjectId: 'uuid', userId: 'uuid' },
    { status: 'text', extraGuests: 'int' },
    sql`status = k.status, extra_guests = k.extra_guests, reply = case when k.status <> 'pending' then i.reply end,
      answered_at = case when k.status <> 'pending' then ${now}::timestamptz end`,
    sql`i.is_by_id`,
  );

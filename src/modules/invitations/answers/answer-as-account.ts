import { sql } from '#pg';
import type { IdempotencyContext } from '../../../idempotency/context.ts';
import { runIdempotent } from '../../../idempotency/run-idempotent.ts';
import type { Caller } from '../../../identity/caller.ts';
import { listContactsOf } from '../invited-people.ts';
import { lockOpenInvitation } from '../open-invitation.ts';
import { refuseAnswer } from '../refuse-answer.ts';
import type { InvitationRow } from '../repo.ts';
import type { GivenAnswer } from './given-answer.ts';
import type { InvitationAnswered } from './schemas.ts';
import type { AnswerServices } from './services.ts';
import { answerInvitation } from './write-answer.ts';

/**
 * Answers by an invitation in the name of an account, whose the invitation becomes.
 * @throws Problem `invitation_not_found`, `not_invited`, `invitation_used`, and those of `answerInvitation`
 */
export const answerAsAccount = (
  services: AnswerServices,
  caller: Caller,
  invitation: InvitationRow,
  answer: GivenAnswer,
  idempotency: IdempotencyContext,
) =>
  runIdempotent(services, caller, idempotency, async (tx, caller) => {
    // Two answers of the person to a series, by an invitation or without one, run one after the other.
    if (invitation.isOfSeries)
      await tx.query(sql`select 1 from users where id = ${caller.id} for no key update`);
    const contacts = (await listContactsOf(tx, caller.id)).map(({ value }) => value);
    const locked = await lockOpenInvitation(tx, services, invitation);
    const refusal = refuseAnswer(locked, { id: caller.id, contacts });
    if (refusal) throw refusal;
    const written = await answerInvitation(tx, services, { caller, role: caller.role }, locked, answer);
    const body: InvitationAnswered = { guestToken: null, expiresAt: null, ...written };
    return { status: 200 as const, body };
  });

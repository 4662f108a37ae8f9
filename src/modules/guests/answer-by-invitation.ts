import type { Transaction } from '#pg';
import type { MessageContact } from '../../lib/contact.ts';
import { lockOpenInvitation } from '../invitations/open-invitation.ts';
import { refuseAnswer } from '../invitations/refuse-answer.ts';
import type { InvitationRow } from '../invitations/repo.ts';
import { storeAccepted } from '../invitations/store-answer.ts';
import type { NewAnswer } from './answers.ts';
import type { GuestServices } from './services.ts';

/** `contact`: that the answer has proved. */
type Answering = {
  person: { id: string; hasAccount: boolean };
  contact: MessageContact;
  answer: NewAnswer;
};

/**
 * Counts an answer with a code as one by an invitation, before the RSVP is written.
 * @throws Problem `invitation_not_found`, `not_invited`, `invitation_used`, `link_used_up`
 */
export async function answerByInvitation(
  tx: Transaction,
  services: GuestServices,
  known: InvitationRow,
  { person, contact, answer }: Answering,
): Promise<void> {
  const invitation = await lockOpenInvitation(tx, services, known);
  const refusal = refuseAnswer(invitation, { id: person.id, contacts: [contact.value] });
  if (refusal) throw refusal;
  const stored = { status: answer.status, extraGuests: answer.extraGuests ?? 0, reply: null };
  await storeAccepted(tx, invitation, person, stored, services.clock());
}

/** Answers by invitations. */
import type { Rsvp } from '../../events/repo.ts';
import type { NewAnswer } from '../../guests/answers.ts';
import type { InvitationAnswered } from './schemas.ts';

/** Null for what an answer leaves out: it does not change. */
export type GivenAnswer = Omit<NewAnswer, 'status'> & {
  status: Rsvp | 'declined';
  name: string | null;
  reply: string | null;
};

export type WrittenAnswer = Omit<InvitationAnswered, 'guestToken' | 'expiresAt'>;

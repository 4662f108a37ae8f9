import { defineModule } from '../../../http/define-module.ts';
import { answerLinkInvitation, getLinkInvitation } from './answer-invitation.ts';
import { answerMyInvitation, listMyInvitations } from './my-invitations.ts';
import type { AnswerServices } from './services.ts';

/** Answers by invitations: with their links, and with an account */
export const invitationAnswers = defineModule<AnswerServices>({
  tag: 'Invitations',
  endpoints: { getLinkInvitation, answerLinkInvitation, listMyInvitations, answerMyInvitation },
});

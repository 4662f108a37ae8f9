import { sql } from '#pg';
import { actAs } from '../../../identity/act-as.ts';
import { Problem } from '../../../lib/errors.ts';
import type { Declining } from '../../attendance/rsvps/set-rsvp.ts';
import { findEvent } from '../../events/repo.ts';
import { invitedIn, isVisibleTo } from '../../events/standings.ts';
import { lockOpenInvitation } from '../open-invitation.ts';
import { type InvitationRow, selectInvitations } from '../repo.ts';
import type { AnswerServices } from './services.ts';
import { answerInvitation } from './write-answer.ts';

export const createAnswerServices = (services: AnswerServices): Declining => ({
  declineInvitation: (caller, eventId, reply) =>
    actAs(services.db, caller, async (tx, caller) => {
      const event = await findEvent(tx, eventId);
      if (!event || !(await isVisibleTo(invitedIn(tx), eventId, event, caller)))
        throw new Problem('event_not_found');
      const [invitation] = await tx.query<InvitationRow>(
        selectInvitations(sql`where i.subject_id = ${eventId} and i.user_id = ${caller.id} and i.is_by_id`),
      );
      if (!invitation) throw new Problem('not_invited');
      const locked = await lockOpenInvitation(tx, services, invitation);
      const answer = {
        status: 'declined' as const,
        extraGuests: null,
        claims: [],
        ask: null,
        name: null,
        reply,
      };
      const answerer = { caller, role: caller.role };
      const { rsvpCount } = await answerInvitation(tx, services, answerer, locked, answer);
      return rsvpCount;
    }),
});

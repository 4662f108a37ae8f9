/** Invitations that can be read and answered: those of events that people see, whose inviter is not suspended. */
import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Transaction } from '#pg';
import { findSuspension } from '../../identity/suspensions.ts';
import { Problem } from '../../lib/errors.ts';
import type { CachedEvent } from '../events/event-cache.ts';
import { findShownDate } from './invited-dates.ts';
import { findInvitationByToken, type InvitationRow, lockInvitation } from './repo.ts';
import type { InvitationServices } from './services.ts';

export const InvitationHeaders = Type.Object({
  'invitation-token': Type.Optional(
    Type.String({
      description: 'The token of the link of an invitation: what follows `/i/` in its address.',
    }),
  ),
});

/** `event`: of an invitation to a series, the date that it shows. */
export type OpenInvitation = { invitation: InvitationRow; event: CachedEvent };

type Services = Pick<InvitationServices, 'db' | 'clock' | 'events'>;

/** The token of an invitation that a request carries. */
export const tokenOf = ({ headers }: FastifyRequest): string | undefined => {
  const token = headers['invitation-token'];
  return typeof token === 'string' ? token : undefined;
};

/** The invitation whose link a request carries; null without a header, and for a link that does not lead to one. */
export async function findOpenInvitation(
  services: Services,
  request: FastifyRequest,
): Promise<OpenInvitation | null> {
  const token = tokenOf(request);
  const invitation = token === undefined ? null : await findInvitationByToken(services.db, token);
  return invitation && (await openInvitation(services, invitation));
}

/** @throws Problem `invitation_not_found` */
export async function requireOpenInvitation(
  services: Services,
  request: FastifyRequest,
): Promise<OpenInvitation> {
  const open = await findOpenInvitation(services, request);
  if (!open) throw new Problem('invitation_not_found');
  return open;
}

/** Null for an invitation that has expired, whose event is deleted or hidden, or whose inviter is suspended. */
export async function openInvitation(
  { db, clock, events }: Services,
  invitation: InvitationRow,
): Promise<OpenInvitation | null> {
  const { subjectId, isOfSeries } = invitation;
  const eventId = isOfSeries ? await findShownDate(db, subjectId, clock()) : subjectId;
  const [event, suspension] = await Promise.all([
    eventId === null ? null : events.find(eventId),
    findSuspension(db, invitation.inviterId),
  ]);
  if (!event || event.row.hidden || suspension || hasExpired(invitation, clock())) return null;
  return { invitation, event };
}

const hasExpired = ({ expiresAt }: Pick<InvitationRow, 'expiresAt'>, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

/**
 * Locks an invitation as it is now, after its event.
 * @throws Problem `invitation_not_found`
 */
export async function lockOpenInvitation(
  tx: Transaction,
  { clock }: Pick<InvitationServices, 'clock'>,
  invitation: InvitationRow,
): Promise<InvitationRow> {
  const locked = await lockInvitation(tx, invitation);
  if (!locked || hasExpired(locked, clock())) throw new Problem('invitation_not_found');
  return locked;
}

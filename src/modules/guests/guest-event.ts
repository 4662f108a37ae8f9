import type { FastifyRequest } from 'fastify';
import type { ContactKind } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { requireWay } from '../accounts/sign-in/ways.ts';
import { isVisible } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import { readMailToken } from '../invitations/mail-token.ts';
import { findOpenInvitation, openInvitation, tokenOf } from '../invitations/open-invitation.ts';
import { findInvitation, type InvitationRow } from '../invitations/repo.ts';
import type { GuestServices } from './services.ts';

/**
 * What the header of a request opens. `invitation`: null for the token of a mail to the guests of the event, which serves only
 * people who see the event already.
 */
type Opened = { invitation: InvitationRow | null };

/** An event to which people can answer without an account. `opened`: null without the header. */
export type GuestEvent = { event: EventRow; opened: Opened | null };

type Services = Pick<GuestServices, 'db' | 'clock' | 'config' | 'events' | 'flags' | 'instance'>;

/**
 * The event, if people can answer to it without an account, with a contact of this kind.
 * @throws Problem `event_not_found`, also for a private event without an invitation to it; `invitation_not_found`, `module_disabled`,
 *   `feature_disabled`
 */
export async function requireGuestEvent(
  services: Services,
  request: FastifyRequest,
  eventId: string,
  kind: ContactKind,
): Promise<GuestEvent> {
  const [event, opened] = await Promise.all([
    services.events.find(eventId),
    findOpened(services, request, eventId),
  ]);
  if (!event || !isVisible(event.row, null, { isInvited: opened !== null }))
    throw new Problem('event_not_found');
  if (!opened && tokenOf(request) !== undefined) throw new Problem('invitation_not_found');
  if (!event.row.enabledModules.includes('guestRsvp')) throw new Problem('module_disabled');
  await services.flags.require('guestRsvp');
  await requireWay(services, kind);
  return { event: event.row, opened };
}

/** Null without the header, and for the token of another event. */
async function findOpened(
  services: Services,
  request: FastifyRequest,
  eventId: string,
): Promise<Opened | null> {
  const mailed = readMailToken(services.config.secretKey, tokenOf(request) ?? '', eventId);
  if (mailed?.invitationId === null) return { invitation: null };
  const open = mailed
    ? await findMailed(services, mailed.invitationId)
    : await findOpenInvitation(services, request);
  return open?.invitation.subjectId === eventId ? open : null;
}

async function findMailed(services: Services, id: string) {
  const invitation = await findInvitation(services.db, id);
  return invitation && (await openInvitation(services, invitation));
}

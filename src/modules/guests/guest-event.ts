import type { FastifyRequest } from 'fastify';
import type { ContactKind } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { requireWay } from '../accounts/sign-in/ways.ts';
import { isVisible } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import { findOpenInvitation, tokenOf } from '../invitations/open-invitation.ts';
import type { InvitationRow } from '../invitations/repo.ts';
import type { GuestServices } from './services.ts';

/** An event to which people can answer without an account. `invitation`: that of the header of the request; null without one. */
export type GuestEvent = { event: EventRow; invitation: InvitationRow | null };

type Services = Pick<GuestServices, 'db' | 'clock' | 'events' | 'flags' | 'instance'>;

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
  const [event, open] = await Promise.all([
    services.events.find(eventId),
    findOpenInvitation(services, request),
  ]);
  const invitation = open?.invitation.subjectId === eventId ? open.invitation : null;
  if (!event || !isVisible(event.row, null, { isInvited: invitation !== null }))
    throw new Problem('event_not_found');
  if (!invitation && tokenOf(request) !== undefined) throw new Problem('invitation_not_found');
  if (!event.row.enabledModules.includes('guestRsvp')) throw new Problem('module_disabled');
  await services.flags.require('guestRsvp');
  await requireWay(services, kind);
  return { event: event.row, invitation };
}

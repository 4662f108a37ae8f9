import type { ContactKind } from '../../lib/contact.ts';
import { Problem } from '../../lib/errors.ts';
import { requireWay } from '../accounts/sign-in/ways.ts';
import { isVisible } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { GuestServices } from './services.ts';

/**
 * The event, if people can answer to it without an account, with a contact of this kind.
 * @throws Problem `event_not_found`, also for a private event; `module_disabled`, `feature_disabled`
 */
export async function requireGuestEvent(
  services: Pick<GuestServices, 'events' | 'flags' | 'instance'>,
  eventId: string,
  kind: ContactKind,
): Promise<EventRow> {
  const event = await services.events.find(eventId);
  if (!event || !isVisible(event.row, null)) throw new Problem('event_not_found');
  if (!event.row.enabledModules.includes('guestRsvp')) throw new Problem('module_disabled');
  await services.flags.require('guestRsvp');
  await requireWay(services, kind);
  return event.row;
}

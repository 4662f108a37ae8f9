/** Where an event takes place, in words. */
import type { Event } from '@potluck/client';
import { m } from '#lib/messages/index.js';

type Located = Pick<Event, 'location' | 'locationKind'>;

/** Without a place, what is known of it, and the town; with one, the address. */
export function whereOf({ location: { address }, locationKind }: Located): string {
  if (locationKind === 'online') return m.online();
  return locationKind === 'later' ? `${m.place_later()} · ${address}` : address;
}

import type { Event } from '@potluck/client';
import { m } from '#lib/messages/index.js';

type Reading = { platform: Readonly<App.Platform> | undefined; url: URL };

/**
 * The event as its reader passes it on: in previews, shared texts, posters and metadata, with the place that everybody sees. Of a
 * private event, nobody sees one without the token of the reader.
 */
export async function toShared(event: Event, { platform, url }: Reading): Promise<Event> {
  if (event.addressVisibility !== 'going' || event.isAddressHidden) return event;
  const response = await platform?.fetchApi(new Request(new URL(`/v1/events/${event.id}`, url.origin)));
  const location = response?.ok ? ((await response.json()) as Event).location : unknownPlace();
  return { ...event, location, onlineUrl: null };
}

const unknownPlace = (): Event['location'] => ({
  address: m.event_address_for_going(),
  lat: 0,
  lng: 0,
  isExact: false,
});

/** Metadata of the pages of events and people, for search engines and previews of links. */
import type { Event, Profile } from '@potluck/client';
import { coverOf } from '#lib/discovery/cover.ts';
import { whereOf } from '#lib/discovery/where.ts';
import { formatPeriod } from '#lib/language/format.ts';
import { dateFormatter } from '#lib/language/formatters.ts';

const maxDescription = 200;

/** One line: the beginning of the description, or when and where. */
export const describeEvent = (event: Event): string =>
  beginningOf(event.description) || `${formatPeriod(event)}, ${whereOf(event)}`;

/** One line: the beginning of the text that the person wrote, or the name. */
export const describePerson = ({ bio, name, username }: Profile): string =>
  beginningOf(bio ?? '') || `${name} (@${username})`;

function beginningOf(longText: string): string {
  const text = longText.replace(/\s+/g, ' ').trim();
  return text.length <= maxDescription ? text : `${text.slice(0, maxDescription - 1).trimEnd()}…`;
}

/** The date in the zone of the venue, as `2026-12-24`. */
const dateIn = (time: number, timeZone: string): string =>
  dateFormatter('en-CA', { timeZone, dateStyle: 'short' }).format(time);

const attendanceOf = ({ locationKind, hasOnlineUrl }: Event): string =>
  locationKind === 'online' ? 'Online' : hasOnlineUrl ? 'Mixed' : 'Offline';

function locationsOf({ location, locationKind, onlineUrl }: Event): object | object[] {
  const place = {
    '@type': 'Place',
    name: location.address,
    address: location.address,
    ...(location.isExact && {
      geo: { '@type': 'GeoCoordinates', latitude: location.lat, longitude: location.lng },
    }),
  };
  const online = onlineUrl ? [{ '@type': 'VirtualLocation', url: onlineUrl }] : [];
  if (locationKind === 'online') return online.length > 0 ? online : { '@type': 'VirtualLocation' };
  return online.length > 0 ? [place, ...online] : place;
}

/**
 * An Event of schema.org as a script element. Its type is data, so the Content-Security-Policy does not apply to it.
 * @param url the address of the page
 */
export function jsonLd(event: Event, url: string): string {
  const { startAt, endAt, allDay, timezone, organizer } = event;
  const isFull = event.capacity > 0 && event.bookedCount >= event.capacity;
  const data = {
    '@context': 'https://schema.org',
    '@type': 'Event',
    name: event.title,
    description: describeEvent(event),
    url,
    image: [`${url}/preview.png`, new URL(coverOf(event), url).href],
    startDate: allDay ? dateIn(Date.parse(startAt), timezone) : startAt,
    // The end is exclusive, and the last day of schema.org is not.
    endDate: allDay ? dateIn(Date.parse(endAt) - 1, timezone) : endAt,
    eventStatus: `https://schema.org/${event.status === 'cancelled' ? 'EventCancelled' : 'EventScheduled'}`,
    eventAttendanceMode: `https://schema.org/${attendanceOf(event)}EventAttendanceMode`,
    location: locationsOf(event),
    organizer: { '@type': 'Person', name: organizer.name, url: new URL(`/u/${organizer.id}`, url).href },
    ...(event.capacity > 0 && { maximumAttendeeCapacity: event.capacity }),
    ...(event.isPriceKnown && {
      isAccessibleForFree: event.price === 0,
      offers: {
        '@type': 'Offer',
        price: event.price,
        priceCurrency: event.currency,
        availability: `https://schema.org/${isFull ? 'SoldOut' : 'InStock'}`,
        url,
      },
    }),
  };
  // `<` could end the element, or begin a comment.
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return `<script type="application/ld+json">${json}</script>`;
}

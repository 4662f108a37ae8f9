/** Addresses that show the place of an event, or search for its address where the coordinates are those of the town. */
import type { Event } from '@potluck/client';
import { m } from '#lib/messages/index.js';

/** The id of the menu of these links on the page of an event. */
export const directionsMenu = 'directions';

export function mapLinks({ address, lat, lng, isExact }: Event['location']) {
  const point = `${lat},${lng}`;
  const text = encodeURIComponent(address);
  const query = isExact ? point : text;
  const openStreetMap = isExact
    ? `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
    : `https://www.openstreetmap.org/search?query=${text}#map=14/${lat}/${lng}`;
  return [
    { label: m.event_open_map(), href: `geo:${point}?q=${isExact ? `${point}(${text})` : text}` },
    { label: 'Google Maps', href: `https://www.google.com/maps/search/?api=1&query=${query}` },
    { label: 'Apple Maps', href: `https://maps.apple.com/?q=${text}&${isExact ? 'll' : 'sll'}=${point}` },
    { label: 'OpenStreetMap', href: openStreetMap },
  ];
}

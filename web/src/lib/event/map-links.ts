/** Addresses that show the place of an event, or search for its address where the coordinates are those of the town. */
import type { Event } from '@potluck/client';

export function mapLinks({ address, lat, lng, isExact }: Event['location']) {
  const point = `${lat},${lng}`;
  const text = encodeURIComponent(address);
  const query = isExact ? point : text;
  return {
    app: `geo:${point}?q=${isExact ? `${point}(${text})` : text}`,
    google: `https://www.google.com/maps/search/?api=1&query=${query}`,
    apple: `https://maps.apple.com/?q=${text}&${isExact ? 'll' : 'sll'}=${point}`,
    openStreetMap: isExact
      ? `https://www.openstreetmap.org/?mlat=${lat}&mlon=${lng}#map=17/${lat}/${lng}`
      : `https://www.openstreetmap.org/search?query=${text}#map=14/${lat}/${lng}`,
  };
}

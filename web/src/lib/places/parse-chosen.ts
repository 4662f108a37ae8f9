import type { ChosenPlace } from './places.ts';
import { isTimeZone } from './time-zone.ts';

/** In UTF-16 code units: the label and the town of the longest address, with escapes, and the rest. */
const maxLength = 3_000;

/** Returns null for text that is not a chosen place. */
export function parseChosen(text: string): ChosenPlace | null {
  if (text.length > maxLength) return null;
  try {
    const { label, town, lat, lng, timeZone, country, address, isExact } = JSON.parse(text) as Record<
      string,
      unknown
    >;
    if (typeof label !== 'string' || typeof town !== 'string' || typeof timeZone !== 'string') return null;
    if (typeof lat !== 'number' || typeof lng !== 'number') return null;
    if (country !== undefined && typeof country !== 'string') return null;
    return isTimeZone(timeZone) && Math.abs(lat) <= 90 && Math.abs(lng) <= 180
      ? {
          label,
          town,
          lat,
          lng,
          timeZone,
          country,
          ...(typeof address === 'string' && { address }),
          ...(isExact === true && { isExact }),
        }
      : null;
  } catch {
    return null;
  }
}

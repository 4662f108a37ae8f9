/** Coordinates as people write them, with a point or a comma. */
import type { Place } from '#lib/map/mercator.ts';

const pair = /^\s*(-?\d{1,3}[.,]\d{2,})\s*[,;\s]\s*(-?\d{1,3}[.,]\d{2,})\s*$/;

/** NaN for a text that is no number, or one above `max`. */
export function toDegrees(text: string, max: number): number {
  const degrees = text === '' ? Number.NaN : Number(text.replace(',', '.'));
  return Math.abs(degrees) <= max ? degrees : Number.NaN;
}

/** Null for texts that are no coordinates. */
export function toSpot(latitude: string, longitude: string): Place | null {
  const spot = { lat: toDegrees(latitude, 90), lng: toDegrees(longitude, 180) };
  return Number.isNaN(spot.lat + spot.lng) ? null : spot;
}

/** Reads what map apps copy, such as `57.6554, 12.0138`; null for another text. */
export function readSpot(text: string): Place | null {
  const [, latitude = '', longitude = ''] = pair.exec(text) ?? [];
  return toSpot(latitude, longitude);
}

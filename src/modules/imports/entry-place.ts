/** Where an entry says that its event is. */
import type { Coordinates } from '#record-index';
import { limits } from './entry-limits.ts';
import { limit, oneLine } from './lines.ts';

/** `lines`: the address with its line breaks, which separate its parts. */
export type SaidPlace = { address: string; lines: string; geo: Coordinates | null };

/**
 * @param name what the file calls the address, for the notes
 * @param lines the parts of the address
 */
export function toAddress(
  name: string,
  lines: string,
  notes: string[],
): Pick<SaidPlace, 'address' | 'lines'> {
  const parts = lines.split('\n').map((line) => line.trim());
  const address = oneLine(parts.filter((part) => part !== '').join(', '));
  return { address: limit(name, address, limits.address, notes), lines: lines.slice(0, limits.address) };
}

/** Of 0;0, programs mean that they do not know. @returns null for it, and for numbers out of range */
export function toGeo(lat: number, lng: number): Coordinates | null {
  const isValid = Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  return isValid && (lat !== 0 || lng !== 0) ? { lat, lng } : null;
}

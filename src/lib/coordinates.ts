/** Coordinates in query parameters: points as `lat,lng`, and boxes as `west,south,east,north`. */
import type { Box, Coordinates } from '#record-index';

/** A number in JSON syntax, as the OpenAPI document declares: not `0x10`, `5.` or ` 5`. */
export const numeral = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const isLat = (value: number): boolean => Math.abs(value) <= 90;
const isLng = (value: number): boolean => Math.abs(value) <= 180;

/** @returns null unless the text is a list of `count` numbers */
function parseNumbers(text: string, count: number): number[] | null {
  const parts = text.split(',');
  return parts.length === count && parts.every((part) => numeral.test(part)) ? parts.map(Number) : null;
}

/** Reads `lat,lng`. @returns null for another text, and for numbers out of range */
export function parseCoordinates(text: string): Coordinates | null {
  const [lat, lng] = (parseNumbers(text, 2) ?? []) as [number?, number?];
  return lat !== undefined && lng !== undefined && isLat(lat) && isLng(lng) ? { lat, lng } : null;
}

/**
 * Reads `west,south,east,north`. @returns null for another text, numbers out of range, and `south` above
 * `north`
 */
export function parseBox(text: string): Box | null {
  const numbers = parseNumbers(text, 4);
  if (!numbers) return null;
  const [west, south, east, north] = numbers as [number, number, number, number];
  const isValid = [west, east].every(isLng) && [south, north].every(isLat) && south <= north;
  return isValid ? { west, south, east, north } : null;
}

/** Where the event of a row is: a text, or the parts of an address. */
import type { Coordinates } from '#record-index';
import { limit, oneLine } from '../lines.ts';
import { limits } from '../parse-entry.ts';
import type { Field } from './column-names.ts';
import type { Cells } from './table.ts';

type RowPlace = { address: string; lines: string; geo: Coordinates | null };

const parts: Field[] = ['venue', 'location', 'street', 'postcode', 'city', 'region', 'country'];

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function readRowPlace(cells: Cells, notes: string[]): RowPlace {
  const texts = parts.map((field) => linesOf(cells.text(field)).join('\n'));
  // The name of a place may have its town in it.
  const written = texts.filter(
    (text, i) => text !== '' && !texts.some((other, j) => isWithin(text, i, other, j)),
  );
  const lines = written.join('\n');
  const address = oneLine(lines.split('\n').join(', '));
  return {
    address: limit('place', address, limits.address, notes),
    lines: lines.slice(0, limits.address),
    geo: readGeo(cells),
  };
}

/** Of equal texts, the first stays. */
const isWithin = (text: string, i: number, other: string, j: number): boolean =>
  i !== j && (other === text ? j < i : j < i && other.includes(text));

const degrees = /^[+-]?\d{1,3}(?:[.,]\d{1,20})?$/;

/** Of 0;0, programs mean that they do not know. */
function readGeo(cells: Cells): Coordinates | null {
  const [lat, lng] = [cells.text('lat'), cells.text('lng')];
  if (!degrees.test(lat) || !degrees.test(lng)) return null;
  const geo = { lat: Number(lat.replace(',', '.')), lng: Number(lng.replace(',', '.')) };
  const isValid = Math.abs(geo.lat) <= 90 && Math.abs(geo.lng) <= 180;
  return isValid && (geo.lat !== 0 || geo.lng !== 0) ? geo : null;
}

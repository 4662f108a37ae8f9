/** Where the event of a row is: a text, or the parts of an address. */
import type { Coordinates } from '#record-index';
import { type SaidPlace, toAddress, toGeo } from '../entry-place.ts';
import type { Field } from './column-names.ts';
import type { Cells } from './table.ts';

const parts: Field[] = ['venue', 'location', 'street', 'postcode', 'city', 'region', 'country'];

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export function readRowPlace(cells: Cells, notes: string[]): SaidPlace {
  const texts = parts.map((field) => linesOf(cells.text(field)).join('\n'));
  // The name of a place may have its town in it.
  const written = texts.filter(
    (text, i) => text !== '' && !texts.some((other, j) => isWithin(text, i, other, j)),
  );
  return { ...toAddress('place', written.join('\n'), notes), geo: readGeo(cells) };
}

/** Of equal texts, the first stays. */
const isWithin = (text: string, i: number, other: string, j: number): boolean =>
  i !== j && (other === text ? j < i : j < i && other.includes(text));

const degrees = /^[+-]?\d{1,3}(?:[.,]\d{1,20})?$/;

function readGeo(cells: Cells): Coordinates | null {
  const [lat, lng] = [cells.text('lat'), cells.text('lng')];
  if (!degrees.test(lat) || !degrees.test(lng)) return null;
  return toGeo(Number(lat.replace(',', '.')), Number(lng.replace(',', '.')));
}

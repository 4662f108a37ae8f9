/** Where an entry is: GEO, LOCATION and what Apple writes beside it. */
import type { Coordinates } from '#record-index';
import { shorten } from '../../lib/text.ts';
import { type Property, textOf } from './content-line.ts';
import { type SaidPlace, toAddress, toGeo } from './entry-place.ts';
import { withoutEntities } from './html-text.ts';
import { firstOf, type Properties } from './read-properties.ts';

export function readPlace(properties: Properties, notes: string[]): SaidPlace {
  const structured = firstOf(properties, 'X-APPLE-STRUCTURED-LOCATION');
  const written = withoutEntities(textOf(firstOf(properties, 'LOCATION')));
  const lines = written !== '' ? written : appleAddress(structured);
  return { ...toAddress('LOCATION', lines, notes), geo: readGeo(properties, structured, notes) };
}

function readGeo(
  properties: Properties,
  structured: Property | undefined,
  notes: string[],
): Coordinates | null {
  const geo = firstOf(properties, 'GEO');
  const read = geo ? readPair(geo.value) : null;
  if (geo && !read && /\d/.test(geo.value))
    notes.push(`"${shorten(`GEO:${geo.value}`, 60)}" is not a latitude and longitude; it was left out`);
  return read ?? (structured ? readPair(structured.value.replace(/^\s*geo:/i, '')) : null);
}

const number = '([+-]?\\d{1,3}(?:\\.\\d{1,20})?)';
const decimal = '([+-]?\\d{1,3}\\.\\d{1,20})';
/** A comma separates numbers with a point alone: `59,10` may be one number. Behind the two may be a height. */
const pairs = [`${number}\\s*\\\\?;\\s*${number}`, `${decimal}\\s*,\\s*${decimal}`].map(
  (pair) => new RegExp(`^\\s*${pair}\\s*(?:[;,?].{0,100})?$`),
);

function readPair(value: string): Coordinates | null {
  const [, lat, lng] = pairs.map((pair) => pair.exec(value.slice(0, 200))).find((found) => found) ?? [];
  return toGeo(Number(lat), Number(lng));
}

/** Apple writes the title and the address of a place as parameters. */
const appleAddress = (structured: Property | undefined): string =>
  ['X-TITLE', 'X-ADDRESS']
    .map((name) => (structured?.parameters.get(name) ?? '').replaceAll('\\n', '\n').replace(/\\(.)/g, '$1'))
    .filter((text) => text !== '')
    .join('\n');

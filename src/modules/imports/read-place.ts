/** Where an entry is: GEO, LOCATION and what Apple writes beside it. */
import type { Coordinates } from '#record-index';
import { shorten } from '../../lib/text.ts';
import { eventFields } from '../events/event-fields.ts';
import { type Property, textOf } from './content-line.ts';
import { withoutEntities } from './html-text.ts';
import { oneLine } from './lines.ts';
import { firstOf, type Properties } from './read-properties.ts';

const maxAddress = (eventFields.address.input as { maxLength?: number }).maxLength ?? 300;

type EntryPlace = { address: string; lines: string; geo: Coordinates | null };

/** `lines`: the address with its line breaks, which separate its parts. */
export function readPlace(properties: Properties, notes: string[]): EntryPlace {
  const structured = firstOf(properties, 'X-APPLE-STRUCTURED-LOCATION');
  const written = withoutEntities(textOf(firstOf(properties, 'LOCATION')));
  const lines = written !== '' ? written : appleAddress(structured);
  const parts = lines.split('\n').map((line) => line.trim());
  const address = oneLine(parts.filter((part) => part !== '').join(', '));
  const short = shorten(address, maxAddress);
  if (short !== address) notes.push(`its LOCATION was shortened to ${maxAddress} characters`);
  return { address: short, lines: lines.slice(0, maxAddress), geo: readGeo(properties, structured, notes) };
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

/** Of 0;0, programs mean that they do not know. */
function readPair(value: string): Coordinates | null {
  const [, lat, lng] = pairs.map((pair) => pair.exec(value.slice(0, 200))).find((found) => found) ?? [];
  const geo = { lat: Number(lat), lng: Number(lng) };
  const isValid = Math.abs(geo.lat) <= 90 && Math.abs(geo.lng) <= 180;
  return isValid && (geo.lat !== 0 || geo.lng !== 0) ? geo : null;
}

/** Apple writes the title and the address of a place as parameters. */
const appleAddress = (structured: Property | undefined): string =>
  ['X-TITLE', 'X-ADDRESS']
    .map((name) => (structured?.parameters.get(name) ?? '').replaceAll('\\n', '\n').replace(/\\(.)/g, '$1'))
    .filter((text) => text !== '')
    .join('\n');

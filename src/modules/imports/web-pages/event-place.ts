/** Where an event of JSON-LD is: a text, a Place with its address and coordinates, or a VirtualLocation. */
import type { Coordinates } from '#record-index';
import { type SaidPlace, toAddress, toGeo } from '../entry-place.ts';
import { oneLine } from '../lines.ts';
import { type EntryOnline, storableUrl } from '../where-online.ts';
import { isNode, localName, type Node, objectsOf, type References, textIn, typesOf } from './json-ld.ts';

type EventPlace = SaidPlace & { online: EntryOnline | null };

/** @param inherited what the event does not say itself */
export function readEventPlace(
  node: Node,
  inherited: Node,
  references: References,
  notes: string[],
): EventPlace {
  const locations = objectsOf(node.location ?? inherited.location, references);
  const isVirtual = (one: unknown): one is Node => isNode(one) && typesOf(one).includes('VirtualLocation');
  const virtual = locations.find(isVirtual);
  const mode = localName(textIn(node, 'eventAttendanceMode') || textIn(inherited, 'eventAttendanceMode'));
  const hasMoved = localName(textIn(node, 'eventStatus')) === 'EventMovedOnline';
  const place = locations.find((one) => !isVirtual(one));
  const isOnly =
    hasMoved || mode === 'OnlineEventAttendanceMode' || (virtual !== undefined && place === undefined);
  const isOnline = isOnly || virtual !== undefined || mode === 'MixedEventAttendanceMode';
  const online = isOnline
    ? { isOnly, url: virtual ? storableUrl(textIn(virtual, 'url', '@id')) : null }
    : null;
  const lines = linesOf(place, references).slice(0, 10).join('\n');
  return {
    ...toAddress('location', lines, notes),
    geo: isOnly ? null : geoOf(place, references),
    online,
  };
}

function linesOf(place: unknown, references: References): string[] {
  if (typeof place === 'string') return [oneLine(place)].filter(Boolean);
  if (!isNode(place)) return [];
  const [address] = objectsOf(place.address, references);
  const name = oneLine(textIn(place, 'name'));
  const parts =
    typeof address === 'string' ? [oneLine(address)] : isNode(address) ? partsOf(address, references) : [];
  const written = [name, ...parts].filter(Boolean);
  // The address may begin with the name, and the town may stand twice.
  return written.filter((part, i) => !written.some((other, j) => j !== i && isWithin(part, i, other, j)));
}

const isWithin = (part: string, i: number, other: string, j: number): boolean =>
  other === part ? j < i : other.startsWith(`${part},`) || (j < i && other.includes(part));

function partsOf(address: Node, references: References): string[] {
  const [country] = objectsOf(address.addressCountry, references);
  const town = [textIn(address, 'postalCode'), textIn(address, 'addressLocality')].filter(Boolean).join(' ');
  const countryName = isNode(country) ? textIn(country, 'name') : textIn(address, 'addressCountry');
  return [
    textIn(address, 'name'),
    textIn(address, 'streetAddress'),
    town,
    textIn(address, 'addressRegion'),
    nameOfCountry(countryName),
  ].map(oneLine);
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** Pages write the code of a country, or its name. */
function nameOfCountry(text: string): string {
  if (!/^[A-Z]{2}$/.test(text)) return text;
  return countries.of(text) ?? text;
}

function geoOf(place: unknown, references: References): Coordinates | null {
  if (!isNode(place)) return null;
  const [written] = objectsOf(place.geo, references);
  const source = isNode(written) ? written : place;
  const [lat, lng] = [textIn(source, 'latitude'), textIn(source, 'longitude')].map((text) =>
    /^[+-]?\d{1,3}(?:\.\d{1,20})?$/.test(text) ? Number(text) : Number.NaN,
  ) as [number, number];
  return toGeo(lat, lng);
}

/** The properties of an entry that are read. */
import { shorten } from '../../lib/text.ts';
import { type Property, readProperty, textOf } from './content-line.ts';
import type { EventBlock } from './parse-calendar.ts';

/** By name. */
export type Properties = Map<string, Property[]>;

/** All others are ignored. */
const used = new Set(
  (
    'UID SEQUENCE LAST-MODIFIED RECURRENCE-ID RRULE RDATE EXDATE SUMMARY DESCRIPTION X-ALT-DESC URL LOCATION GEO ' +
    'X-APPLE-STRUCTURED-LOCATION DTSTART DTEND DURATION CATEGORIES STATUS CLASS X-MICROSOFT-CDO-ALLDAYEVENT'
  ).split(' '),
);
const longTexts = new Set(['DESCRIPTION', 'X-ALT-DESC']);
/** Of lines that are no properties. */
const maxNotes = 3;
/** Of one name, such as EXDATE. */
const maxSame = 500;
/** In characters, of a description with lines that are no properties. */
const maxLength = 64 * 1024;

/** Lines that are no properties are the next lines of a description, if they follow it. */
export function readProperties({ lines }: EventBlock, notes: string[]): Properties {
  const properties: Properties = new Map();
  let before: Property | null = null;
  for (const { number, text } of lines) {
    const property = readProperty(number, text);
    // Lines of a text may have a colon in them, such as the address of a page.
    const isText = !property || (isLong(before) && !/^[A-Z][A-Z\d_.-]*[;:]/.test(text));
    if (isText) {
      const isSoftBreak = before !== null && isQuotedPrintable(before) && before.value.endsWith('=');
      if (before && isSoftBreak && before.value.length < maxLength)
        before.value = `${before.value.slice(0, -1)}${text}`;
      else if (before && isLong(before) && before.value.length < maxLength) before.value += `\\n${text}`;
      if (!isSoftBreak && notes.length < maxNotes)
        notes.push(
          `"${shorten(text, 40)}" is no property; it was ${isLong(before) ? `read as part of ${before?.name}` : 'left out'}`,
        );
      continue;
    }
    before = property;
    if (!used.has(property.name)) continue;
    const same = properties.getOrInsert(property.name, []);
    if (same.length < maxSame) same.push(property);
  }
  return properties;
}

const isLong = (property: Property | null): boolean => property !== null && longTexts.has(property.name);
const isQuotedPrintable = ({ parameters }: Property): boolean =>
  parameters.get('ENCODING')?.toUpperCase() === 'QUOTED-PRINTABLE';

/** The first property of a name with a text; undefined without one. */
export const firstOf = (properties: Properties, name: string): Property | undefined =>
  properties.get(name)?.find((property) => textOf(property) !== '');

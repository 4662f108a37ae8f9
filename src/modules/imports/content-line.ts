/** Reads content lines: the property, its parameters and its value. What programs write wrongly is read as they mean it. */

/** `name` has capital letters. `value` is as the file has it. */
export type Property = { line: number; name: string; parameters: Map<string, string>; value: string };

/** Names of properties with one time, whose parameters may have a colon without quotes: `TZID=(UTC+01:00) Oslo`. */
const timeNames = new Set(['DTSTART', 'DTEND', 'RECURRENCE-ID']);
/** In characters: a longer time is none. */
const maxTimeLength = 300;

/** @returns null for a line that is no property */
export function readProperty(line: number, text: string): Property | null {
  const written = /^[A-Za-z][\w.-]*(?=[;:])/.exec(text)?.[0] ?? '';
  // Some programs write a group in front of the name, as in vCard.
  const name = written.slice(written.lastIndexOf('.') + 1).toUpperCase();
  if (name === '') return null;
  const rest = text.slice(written.length);
  const colon = timeNames.has(name) ? lastColon(rest.slice(0, maxTimeLength)) : firstColon(rest);
  if (colon < 0) return null;
  return { line, name, parameters: readParameters(rest.slice(0, colon)), value: rest.slice(colon + 1) };
}

/** The first colon outside of quotes; if the quotes are not closed, the first one. */
function firstColon(text: string): number {
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '"') isQuoted = !isQuoted;
    else if (text[i] === ':' && !isQuoted) return i;
  }
  return text.indexOf(':');
}

/** The colon in front of a time, which may have colons in it; the first one if nothing is behind it. */
function lastColon(text: string): number {
  let start = text.length;
  while (start > 0 && /[\dT:+.,Z\s-]/i.test(text.charAt(start - 1))) start--;
  const found = /:\s*\d/.exec(text.slice(start));
  return found ? start + found.index : firstColon(text);
}

function readParameters(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain = ''] of text.matchAll(/;([\w-]{1,40})=(?:"([^"]*)"|([^;]*))/g)) {
    if (parameters.size < 20) parameters.set(name.toUpperCase(), (quoted ?? plain).trim());
  }
  return parameters;
}

const escapes: Record<string, string> = {
  n: '\n',
  N: '\n',
  ',': ',',
  ';': ';',
  '\\': '\\',
  '"': '"',
  ':': ':',
};

/** The value of a property with one text. */
export function textOf(property: Property | undefined): string {
  if (!property) return '';
  const { value, parameters } = property;
  const isQuotedPrintable = parameters.get('ENCODING')?.toUpperCase() === 'QUOTED-PRINTABLE';
  const text = isQuotedPrintable ? decodeQuotedPrintable(value, parameters.get('CHARSET')) : value;
  return text.replace(/\\(.)/gs, (all, character: string) => escapes[character] ?? all).trim();
}

/** The texts of a property with a list of them. */
export const textsOf = (property: Property): string[] =>
  property.value.split(/(?<!\\),/, 50).map((value) => textOf({ ...property, value }));

function decodeQuotedPrintable(value: string, charset = 'utf-8'): string {
  const bytes = Buffer.from(
    value
      .replace(/=\r?\n?$/, '')
      .replace(/=([\dA-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
  const isKnown = /^(?:utf-?8|iso-8859-1|windows-125\d|us-ascii)$/i.test(charset);
  return new TextDecoder(isKnown ? charset : 'utf-8').decode(bytes).replaceAll('\0', '');
}

/** Finds the town and the street in an address as people and map services write it. Nothing here knows which towns exist. */

import { normalizeName } from '../names.ts';
import { type CountryNames, countryBehind, regionsNamed } from './country-names.ts';
import { codeAlone, codeBehind, codeInFront, type PostalCode, separator } from './postal-codes.ts';
import { type NameInPart, namesOfPart } from './read-part.ts';

/** A reading of an address. */
export type Reading = NameInPart & {
  /** What is in front of the town: the street, the number, the postal code. Empty for a town alone. */
  street: string;
  /** The position of its part, from 0. */
  part: number;
};
/** What the words at the ends of an address say about the country, and the readings of the other words. */
export type Interpretation = {
  /** ISO 3166 alpha-2. */
  country?: string;
  /** The abbreviation of a state or province. */
  region?: string;
  /** Whether the country is two letters behind the town, which may be those of a province. */
  isCountryCode?: boolean;
  /** A postal code somewhere in the address. */
  code: PostalCode | null;
  /** The likeliest first. Empty for a street without a town. */
  readings: Reading[];
};

/** In characters, as the API permits for the address of an event. */
const maxLength = 300;
/** Each reading is searched for. */
const maxReadings = 40;

/** A part of an address, and where it stands in the text. */
type Part = { text: string; end: number };

/**
 * The interpretations of an address, the most specific first, at least one. Of a text that is longer than an address, the
 * end is not read.
 */
export function readAddress(address: string, countries: CountryNames): Interpretation[] {
  const text = address.slice(0, maxLength);
  const all = splitParts(text);
  const code = codeIn(all);
  return [...inCountry(all, countries), { parts: all }].flatMap(({ parts: whole, ...where }) => {
    const rest = withoutCodes(whole);
    const regions = inRegion(rest, where.country);
    return [...regions, { parts: rest, ...where }].map(({ parts, ...found }) => ({
      ...found,
      code,
      readings: readParts(text, parts, whole),
    }));
  });
}

/** The readings of the likeliest interpretation. */
export const readTowns = (text: string, countries: CountryNames): Reading[] =>
  readAddress(text, countries)[0]?.readings ?? [];

function splitParts(text: string): Part[] {
  const parts: Part[] = [];
  const between = new RegExp(separator, 'gu');
  for (let start = 0; start <= text.length; ) {
    between.lastIndex = start;
    const found = between.exec(text);
    const end = found?.index ?? text.length;
    const part = text.slice(start, end).trim();
    if (part !== '') parts.push({ text: part, end });
    start = found ? Math.max(between.lastIndex, start + 1) : text.length + 1;
  }
  return parts;
}

/** Without the postal codes that are parts of their own at the end. */
function withoutCodes(parts: Part[]): Part[] {
  const last = parts.findLastIndex(({ text }) => !codeAlone.test(text));
  return parts.slice(0, last < 0 ? parts.length : last + 1);
}

function codeIn(parts: Part[]): PostalCode | null {
  for (const { text } of parts.toReversed()) {
    const inFront = codeInFront.exec(text)?.[0];
    const code = codeAlone.exec(text)?.[0] ?? codeBehind.exec(text)?.[0] ?? inFront;
    if (code) return { text: code.trim(), isInFront: code === inFront };
  }
  return null;
}

type Where = Pick<Interpretation, 'country' | 'region' | 'isCountryCode'>;
type Rest = Where & { parts: Part[] };

const withLast = (parts: Part[], text: string): Part[] => {
  const last = parts.at(-1);
  return last ? [...parts.slice(0, -1), { text, end: last.end }] : [];
};

/** The country as the last part, with or without a postal code, behind a town without a comma, or as the first part. */
function inCountry(all: Part[], countries: CountryNames): Rest[] {
  const parts = withoutCodes(all);
  const [first, last] = [parts[0]?.text ?? '', parts.at(-1)?.text ?? ''];
  const bare = ` ${last}`.replace(codeBehind, '').trim().replace(codeInFront, '');
  const rest = parts.slice(0, -1);
  const named = countries.get(normalizeName(bare));
  if (named && rest.length > 0) return [{ country: named, parts: rest }];
  const inFront = countries.get(normalizeName(first));
  if (inFront && rest.length > 0) return [{ country: inFront, parts: parts.slice(1) }];
  const behind = countryBehind(last, countries);
  if (behind) return [{ country: behind.country, parts: withLast(parts, behind.front) }];
  return [];
}

/** The state or province behind the town: as a part, with or without a postal code, or without a comma. */
function inRegion(parts: Part[], country: string | undefined): Rest[] {
  const last = parts.at(-1)?.text ?? '';
  const bare = ` ${last}`.replace(codeBehind, '').trim();
  const isPossible = (region: { country: string }) => country === undefined || region.country === country;
  const named = regionsNamed(bare).filter(isPossible);
  if (parts.length > 1 && named.length > 0)
    return named.map((region) => ({ ...region, parts: parts.slice(0, -1) }));
  const words = bare.split(/\s+/);
  const [front, word = ''] = [words.slice(0, -1).join(' '), words.at(-1) ?? ''];
  const behind = front !== '' && /^[A-Z]{2,3}$/.test(word) ? regionsNamed(word).filter(isPossible) : [];
  const found: Rest[] = behind.map((region) => ({ ...region, parts: withLast(parts, front) }));
  // Such as "Berlin, DE". After the states, because "Atlanta, GA" is not in Gabon.
  if (country === undefined && parts.length > 1 && /^[A-Z]{2}$/.test(bare))
    found.push({
      country: bare === 'UK' ? 'GB' : bare,
      isCountryCode: true,
      parts: parts.slice(0, -1),
    });
  return found;
}

/** @param whole the parts up to the end of the street, if something stands behind the town */
function readParts(text: string, parts: Part[], whole: Part[]): Reading[] {
  const wholeStreet = tidy(text.slice(0, whole.at(-1)?.end ?? 0));
  const isCut = whole.length > parts.length || whole.at(-1)?.text !== parts.at(-1)?.text;
  const codePart =
    whole.length > parts.length && codeAlone.test(whole.at(-1)?.text ?? '') ? -1 : findCodePart(parts);
  const readings = parts.flatMap((part, i) => {
    const before = tidy(text.slice(0, parts[i - 1]?.end ?? 0));
    const hasBehind = isCut || i < parts.length - 1;
    return namesOfPart(part.text, i === codePart).map(({ front, ...name }): Reading => {
      const pieces = [before, ...front].filter((piece) => piece !== '');
      const street = (hasBehind || name.hasMore) && pieces.length > 0 ? wholeStreet : pieces.join(', ');
      return { ...name, street, part: i };
    });
  });
  const last = readings.toSorted((a, b) => b.part - a.part);
  const isFirst = [
    (reading: Reading) => reading.isBesideCode && !reading.isGuess,
    (reading: Reading) => !reading.isBesideCode && !reading.isGuess,
    (reading: Reading) => reading.isBesideCode && reading.isGuess,
    (reading: Reading) => !reading.isBesideCode && reading.isGuess,
  ];
  return isFirst.flatMap((is) => last.filter(is)).slice(0, maxReadings);
}

/**
 * The last part with a postal code. A number in front of the first of several parts is that of a house, and one behind a
 * part that others follow is that of a flat, unless it has letters in it.
 */
const findCodePart = (parts: Part[]): number =>
  parts.findLastIndex(({ text }, i) => {
    const isLast = i === parts.length - 1;
    const behind = codeBehind.exec(text)?.[0] ?? '';
    return codeInFront.test(text)
      ? isLast || i > 0
      : behind !== '' && (isLast || (i > 0 && /\p{L}/u.test(behind)));
  });

/** In one line, with a comma between the parts. */
const tidy = (text: string): string =>
  text
    .split(/[,،;、，|•\n]+/u)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(', ');

/** The messages of invalid fields, by the validator's keywords. Each continues the name of the field: `is required`. */
import { timestampBounds } from '../lib/time.ts';
import {
  currencyPattern,
  emojiPattern,
  linePattern,
  seenPattern,
  usernamePattern,
  visiblePattern,
} from './schemas.ts';

/** An error of the validator. `limit`, `type` and the like: the value of the keyword in the schema. */
export type Fault = { keyword: string; params: Record<string, unknown>; message?: string | undefined };

const visibleLineMessage = 'must be one line, without control characters, with something to see in it';
const visibleTextMessage = 'must have something to see in it';

/** Messages that describe a valid value, in place of the validator's names of formats. */
const formats: Record<string, string> = {
  timestamp: `must be a timestamp with an offset, such as 2026-12-24T18:00:00+01:00, ${timestampBounds}`,
  'timestamp-or-day': `must be a date, or a timestamp with an offset, such as 2026-12-24T18:00:00Z, ${timestampBounds}`,
  uri: 'must be a URI',
  'http-url': 'must be an http or https URL',
  bbox: 'must be west,south,east,north in degrees, such as 10.6,59.8,10.9,60, and south must not be above north',
  'lat-lng': 'must be a latitude and a longitude in degrees, such as 59.91,10.75',
  grapheme: 'must be one emoji',
  'time-zone': 'must be the name of an IANA time zone, such as Europe/Oslo',
  currency: 'must be an ISO 4217 currency, such as EUR',
  'person-name': 'must be one line with something to see in it, without control and format characters',
  'visible-line': visibleLineMessage,
  'visible-text': visibleTextMessage,
};

const patterns: Record<string, string> = {
  [visiblePattern]: visibleLineMessage,
  [seenPattern]: visibleTextMessage,
  [linePattern]: 'must be one line, without control characters',
  [usernamePattern]: 'must be 3 to 30 of a–z, 0–9, _ and ., with at least one letter or digit',
  [emojiPattern]: 'must be one emoji',
  [currencyPattern]: 'must be an ISO 4217 currency, such as EUR',
};

const types: Record<string, string> = {
  string: 'must be a string',
  integer: 'must be an integer',
  number: 'must be a number',
  boolean: 'must be true or false',
  object: 'must be an object',
  array: 'must be a list',
  null: 'must be null',
};

const other = 'is not valid';
const text = (table: Record<string, string>, name: unknown): string => table[String(name)] ?? other;
const count = (limit: unknown, bound: 'least' | 'most', noun: string): string =>
  bound === 'least' && limit === 1
    ? 'must not be empty'
    : `must have at ${bound} ${limit} ${noun}${limit === 1 ? '' : 's'}`;

/** Each keyword that the schemas of requests use, except those that only contain schemas or describe. */
export const keywordMessages: Record<string, (params: Record<string, unknown>) => string> = {
  type: ({ type }) => text(types, type),
  format: ({ format }) => text(formats, format),
  pattern: ({ pattern }) => patterns[String(pattern)] ?? `must match the pattern ${pattern}`,
  minLength: ({ limit }) => count(limit, 'least', 'character'),
  maxLength: ({ limit }) => count(limit, 'most', 'character'),
  minItems: ({ limit }) => count(limit, 'least', 'element'),
  maxItems: ({ limit }) => count(limit, 'most', 'element'),
  uniqueItems: () => 'must not have equal elements',
  minimum: ({ limit }) => `must be at least ${limit}`,
  maximum: ({ limit }) => `must be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `must be above ${limit}`,
  enum: ({ allowedValues }) => `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  const: ({ allowedValue }) => `must be ${allowedValue}`,
  required: () => 'is required',
  additionalProperties: () => 'is not a known field',
  // Its alternatives report errors of their own before it.
  anyOf: () => other,
};

/** The message of an error. Keywords of this server (validation.ts) have messages of their own. */
export const messageOf = ({ keyword, params, message = other }: Fault): string =>
  keyword.startsWith('x-') ? message : (keywordMessages[keyword]?.(params) ?? other);

/** What invalid fields violate, by the validator's keywords. Each message continues the name of the field: `is required`. */
import { timestampBounds } from '#base';
import type { FieldRule, Violation } from '../lib/errors.ts';
import {
  currencyPattern,
  emojiPattern,
  linePattern,
  seenPattern,
  usernamePattern,
  visiblePattern,
} from './schemas.ts';

/** An error of the validator. `limit`, `type` and the like: the value of the keyword in the schema. */
export type Fault = { keyword: string; params: Record<string, unknown> };

const emoji: Violation = { rule: 'emoji', message: 'must be one emoji' };
const currency: Violation = { rule: 'currency', message: 'must be an ISO 4217 currency, such as EUR' };
const visibleText: Violation = { rule: 'visible', message: 'must have something to see in it' };
const visibleLine: Violation = {
  rule: 'one_line',
  message: 'must be one line, without control characters, with something to see in it',
};

/** Messages that describe a valid value, in place of the validator's names of formats. */
const formats: Record<string, Violation> = {
  timestamp: {
    rule: 'timestamp',
    message: `must be a timestamp with an offset, such as 2026-12-24T18:00:00+01:00, ${timestampBounds}`,
  },
  'timestamp-or-day': {
    rule: 'timestamp',
    message: `must be a date, or a timestamp with an offset, such as 2026-12-24T18:00:00Z, ${timestampBounds}`,
  },
  uri: { rule: 'url', message: 'must be a URI' },
  'http-url': { rule: 'url', message: 'must be an http or https URL' },
  'https-url': { rule: 'url', message: 'must be an https URL' },
  bbox: {
    rule: 'place',
    message:
      'must be west,south,east,north in degrees, such as 10.6,59.8,10.9,60, and south must not be above north',
  },
  'lat-lng': {
    rule: 'place',
    message: 'must be a latitude and a longitude in degrees, such as 59.91,10.75',
  },
  grapheme: emoji,
  'time-zone': {
    rule: 'time_zone',
    message: 'must be the name of an IANA time zone, such as Europe/Oslo',
  },
  currency,
  'person-name': {
    rule: 'one_line',
    message: 'must be one line with something to see in it, without control and format characters',
  },
  'visible-line': visibleLine,
  'visible-text': visibleText,
};

const patterns: Record<string, Violation> = {
  [visiblePattern]: visibleLine,
  [seenPattern]: visibleText,
  [linePattern]: { rule: 'one_line', message: 'must be one line, without control characters' },
  [usernamePattern]: {
    rule: 'username',
    message: 'must be 3 to 30 of a–z, 0–9, _ and ., with at least one letter or digit',
  },
  [emojiPattern]: emoji,
  [currencyPattern]: currency,
};

const types: Record<string, Violation> = {
  string: { message: 'must be a string' },
  integer: { rule: 'integer', message: 'must be an integer' },
  number: { rule: 'number', message: 'must be a number' },
  boolean: { message: 'must be true or false' },
  object: { message: 'must be an object' },
  array: { message: 'must be a list' },
  null: { message: 'must be null' },
};

const other: Violation = { message: 'is not valid' };
const least = (rule: FieldRule, limit: number, noun: string): Violation =>
  limit === 1
    ? { rule: 'required', message: 'must not be empty' }
    : { rule, limit, message: `must have at least ${limit} ${noun}s` };
const most = (rule: FieldRule, limit: number, noun: string): Violation => ({
  rule,
  limit,
  message: `must have at most ${limit} ${noun}${limit === 1 ? '' : 's'}`,
});

/** `limit`: a number, for the keywords that have one. */
type Params = { limit: number; [name: string]: unknown };

/** Each keyword that the schemas of requests use, except those that only contain schemas or describe. */
const violations: Record<string, (params: Params) => Violation> = {
  type: ({ type }) => types[String(type)] ?? other,
  format: ({ format }) => formats[String(format)] ?? other,
  pattern: ({ pattern }) => patterns[String(pattern)] ?? { message: `must match the pattern ${pattern}` },
  minLength: ({ limit }) => least('min_length', limit, 'character'),
  maxLength: ({ limit }) => most('max_length', limit, 'character'),
  minItems: ({ limit }) => least('min_items', limit, 'element'),
  maxItems: ({ limit }) => most('max_items', limit, 'element'),
  uniqueItems: () => ({ rule: 'unique_items', message: 'must not have equal elements' }),
  minimum: ({ limit }) => ({ rule: 'minimum', limit, message: `must be at least ${limit}` }),
  maximum: ({ limit }) => ({ rule: 'maximum', limit, message: `must be at most ${limit}` }),
  exclusiveMinimum: ({ limit }) => ({ rule: 'above', limit, message: `must be above ${limit}` }),
  enum: ({ allowedValues }) => ({
    rule: 'choice',
    message: `must be one of ${(allowedValues as unknown[]).map(String).join(', ')}`,
  }),
  const: ({ allowedValue }) => ({ message: `must be ${allowedValue}` }),
  required: () => ({ rule: 'required', message: 'is required' }),
  additionalProperties: () => ({ message: 'is not a known field' }),
  'x-max-decimals': ({ limit }) => most('decimals', limit, 'decimal'),
  // Its alternatives report errors of their own before it.
  anyOf: () => other,
};

/** Describes an error of the validator. */
export const violationOf = ({ keyword, params }: Fault): Violation =>
  violations[keyword]?.(params as Params) ?? other;

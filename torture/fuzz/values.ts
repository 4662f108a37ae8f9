/** Generates valid and mostly invalid values from the JSON schemas of the OpenAPI document. */
import fc, { type Arbitrary } from 'fast-check';
import { isVisibleText } from '../../src/lib/text.ts';
import type { Schema } from '../../test/operations/openapi-operations.ts';
import { anyText, anyVisibleText } from '../../test/support/any-text.ts';

/** A timestamp between 1900 and 9999, with various offsets and numbers of decimals. */
const anyTimestamp = fc
  .tuple(
    fc.integer({ min: -2_208_900_000, max: 253_400_000_000 }),
    fc.constantFrom('', '.1', '.123', '.123456789'),
  )
  .chain(([seconds, fraction]) =>
    fc
      .constantFrom('Z', 'z', '+00:00', '-12:00', '+14:00', '+05:45')
      .map((zone) => new Date(seconds * 1000).toISOString().slice(0, 19) + fraction + zone),
  );
/** A timestamp within 20 days, so that an end is as often after its start as before it. */
const nearTimestamp = fc
  .integer({ min: 0, max: 60 * 24 * 20 })
  .map((minutes) => new Date(Date.UTC(2040, 0, 1) + minutes * 60_000).toISOString());
const day = fc
  .integer({ min: -25_000, max: 2_900_000 })
  .map((n) => new Date(n * 86_400_000).toISOString().slice(0, 10));

const formats: Record<string, Arbitrary<string>> = {
  timestamp: fc.oneof({ arbitrary: nearTimestamp, weight: 6 }, { arbitrary: anyTimestamp, weight: 1 }),
  'timestamp-or-day': fc.oneof(nearTimestamp, anyTimestamp, day),
  'http-url': fc.webUrl({ withQueryParameters: true, withFragments: true }),
  'https-url': fc.webUrl({ validSchemes: ['https'], withQueryParameters: true }),
  'time-zone': fc.constantFrom(
    'UTC',
    'Europe/Oslo',
    'America/Argentina/Ushuaia',
    'Asia/Kathmandu',
    'Etc/GMT+3',
  ),
  bbox: fc.constantFrom('-180,-90,180,90', '10.6,59.8,10.9,60', '170,-20,-170,20', '0,0,0,0'),
  'lat-lng': fc.constantFrom('59.91,10.75', '-90,-180', '0,0'),
  currency: fc.constantFrom('EUR', 'NOK', 'JPY', 'XAF', 'BHD'),
  grapheme: fc.constantFrom('🥘', '👩‍👩‍👧‍👦', '🏳️‍🌈', 'é', '🇳🇴', 'x', '1️⃣'),
};

/** Any text except NUL and lone surrogates, which no schema can exclude. */
const storableText = fc.oneof(
  anyVisibleText({ maxLength: 40 }),
  anyText({ maxLength: 40 }),
  fc.constantFrom('jazz', 'a b', '', ' ', '%', "'"),
);

function textOf({ format, pattern, minLength = 0, maxLength = 200 }: Schema): Arbitrary<string> {
  const ofFormat = format === undefined ? undefined : formats[format];
  if (ofFormat) return ofFormat;
  const long = fc.constantFrom(minLength, maxLength).map((length) => 'ä'.repeat(length));
  // Random text hardly ever fits a pattern that counts characters: the filter below would search for ever.
  if (pattern && /\{[\d,]+\}(\)\?)?\$$/.test(pattern)) return fc.stringMatching(new RegExp(pattern));
  const fits = pattern === undefined ? null : new RegExp(pattern, 'u');
  return fc
    .oneof({ arbitrary: storableText, weight: 9 }, { arbitrary: long, weight: 1 })
    .filter((text) => !fits || fits.test(text))
    .filter((text) => !format?.startsWith('visible') || isVisibleText(text))
    .filter((text) => [...text].length >= minLength && [...text].length <= maxLength);
}

function numberOf({
  minimum,
  exclusiveMinimum,
  maximum = 10_000,
  'x-max-decimals': decimals,
}: Schema): Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -10_000 : exclusiveMinimum + 1e-6);
  const anyDouble = fc.double({ min, max: maximum, noNaN: true });
  return decimals === undefined
    ? fc.oneof(anyDouble, fc.constantFrom(min, maximum))
    : fc.integer({ min: min * 100, max: maximum * 100 }).map((cents) => cents / 100);
}

const maxListLength = 5;

/** A value that fits the schema. */
export function valid(schema: Schema): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valid));
  if (schema.type === 'object') {
    const fields = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, valid(inner)]);
    return fc.record<Record<string, unknown>>(Object.fromEntries(fields), {
      requiredKeys: schema.required ?? [],
    });
  }
  if (schema.type === 'array') {
    const { minItems: minLength = 0, maxItems = maxListLength } = schema;
    const maxLength = Math.min(maxItems, maxListLength);
    return fc.uniqueArray(valid(schema.items ?? {}), { minLength, maxLength });
  }
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'null') return fc.constant(null);
  if (schema.type === 'number') return numberOf(schema);
  if (schema.type === 'integer') {
    const [min, max] = [schema.minimum ?? -1_000, schema.maximum ?? 1_000_000];
    return fc.oneof(fc.integer({ min, max: Math.min(max, min + 30) }), fc.constantFrom(min, max));
  }
  return textOf(schema);
}

/** Values of other types and formats, and values beyond common limits. */
const junk = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    null,
    '',
    0,
    -1,
    1.5,
    -0,
    2 ** 31,
    2 ** 53 + 2,
    1e300,
    '3',
    true,
    [],
    {},
    [1],
    'a\u0000b',
    '\ud800',
    'b\udc00',
  ),
  fc.constantFrom(
    'x'.repeat(50_000),
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '10000-01-01T00:00:00Z',
    'ftp://x.org',
    'http://',
  ),
  fc.constantFrom(
    'europe/nowhere',
    '+02:00',
    'eur',
    'XYZ',
    '🥘🥘',
    'a b',
    10_001,
    91,
    -181,
    1_000_000.01,
    0.001,
  ),
);

/** A valid body with one change, or an arbitrary value. */
export function broken(schema: Schema): Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {});
  const name = fc.oneof(
    fc.constantFrom(...names),
    fc.constantFrom('surprise', '__proto__', 'constructor', ''),
  );
  const changed = fc.tuple(valid(schema), name, junk, fc.boolean()).map(([body, key, value, isGone]) => {
    const entries = Object.entries(body as object).filter(([known]) => known !== key);
    // `fromEntries` creates a field named __proto__; an assignment would set the prototype.
    return Object.fromEntries(isGone && names.includes(key) ? entries : [...entries, [key, value]]);
  });
  const place = schema.properties?.location;
  const inner = place
    ? fc.tuple(valid(schema), broken(place)).map(([body, location]) => ({ ...(body as object), location }))
    : changed;
  return fc.oneof(
    { arbitrary: changed, weight: 8 },
    { arbitrary: inner, weight: 2 },
    { arbitrary: junk, weight: 1 },
  );
}

/** Values of query parameters that most parameters refuse. */
export const brokenText = fc.constantFrom(
  '',
  ' ',
  'x',
  '-1',
  '0',
  '1.5',
  '1e1',
  '1e400',
  '-1e400',
  '0x10',
  '+5',
  ' 5',
  '5 ',
  '05',
  '.5',
  '5.',
  'NaN',
  'Infinity',
  'true',
  'null',
  '2147483648',
  '9007199254740993',
  '51',
  '-0',
  '１',
  '1,5',
  '2026-02-30',
  '2026-13-01',
  '26-01-01',
  'a\u0000b',
  '%',
  'x'.repeat(201),
  '91',
  '-181',
  '20041',
  '[]',
  '{}',
);

/** Pieces that the schemas of all domains are made of. */
import { type Static, type TSchema, type TSchemaOptions, type TUnsafe, Type } from 'typebox';

/** Gives the schema a name: it becomes a component of the OpenAPI document, and routes refer to it with `ref`. */
export function shared<S extends TSchema>(name: string, schema: S): S {
  return { ...schema, $id: name };
}

/** A reference to a shared schema, with its type. */
export function ref<S extends TSchema>(schema: S): TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${(schema as { $id?: string }).$id}#` });
}

/** One of some words. */
export function oneOf<const T extends string>(
  values: readonly T[],
  options: TSchemaOptions = {},
): TUnsafe<T> {
  return Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });
}

export function nullable<S extends TSchema>(
  schema: S,
  options: TSchemaOptions = {},
): TUnsafe<Static<S> | null> {
  return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }], ...options });
}

/*
 * Patterns are published in the OpenAPI document, so each means the same with and without the `u` flag: many tools
 * compile patterns without it, and `\p{…}` then matches the letters of its own name. What only Unicode properties can
 * express is a format (strictness.ts, text.ts), which checks everything that the pattern beside it checks, and more.
 */

/** The control characters (Cc), for use inside brackets. */
const controls = '\\x00-\\x1f\\x7f-\\x9f';
/**
 * No control characters, and at least one character that is not white space. The blanks before that character cannot
 * match it themselves: one way to match, so linear time for any length. Beside the format `visible-line`.
 */
export const visiblePattern = `^[^\\S\\x09-\\x0d]*[^\\s${controls}][^${controls}]*$`;
/** For text of several lines, beside the format `visible-text`. */
export const seenPattern = `[^\\s${controls}]`;
export const linePattern = `^[^${controls}]*$`;
export const usernamePattern = '^[A-Za-z0-9_.]{3,30}$';
export const currencyPattern = '^[A-Z]{3}$';
/** With the format `grapheme`, which a blank would satisfy too. */
export const emojiPattern = `^[^\\s${controls}]+$`;

/** One line of text with something to see in it; lengths in characters. */
export function text(minLength: number, maxLength: number, options: TSchemaOptions = {}) {
  return Type.String({
    minLength,
    maxLength,
    ...(minLength > 0 ? { format: 'visible-line', pattern: visiblePattern } : { pattern: linePattern }),
    ...options,
  });
}

/** Text of any number of lines. */
export function prose(maxLength: number, options: TSchemaOptions = {}) {
  return Type.String({ maxLength, ...options });
}

export const timestamp = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'date-time', examples: ['2026-12-24T18:00:00.000Z'], ...options });

export const httpUrl = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'http-url', maxLength: 2048, ...options });

/** A closed object: an unknown field is a 400 that names it. */
export function body<P extends Record<string, TSchema>>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Spec 2.8 */
export const PageMeta = shared(
  'PageMeta',
  Type.Object({
    total: Type.Integer({ description: 'How many there are on all pages together.', examples: [57] }),
    page: Type.Integer({ examples: [1] }),
    limit: Type.Integer({ examples: [20] }),
  }),
);

export const Success = Type.Object({ success: Type.Literal(true) });

export const page = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  default: 1,
  description: 'Counts from 1.',
});
export const pageLimit = Type.Integer({
  minimum: 1,
  maximum: 50,
  default: 20,
  description: 'Elements on a page.',
});

/** A string as in the IETF's draft, in quotes, or as most clients send it, without them. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern:
        '^(?:[!#-+\\-.-\\[\\]-~]{1,255}|"(?=[^"\\\\]|\\\\["\\\\])(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$',
      description:
        'Makes the request safe to send again: within 24 hours the same request under the same key does nothing and ' +
        'gets the first answer once more. Any 1 to 255 visible characters, such as a UUID, in quotes or not.',
      examples: ['"8e03978e-40d5-43e8-bc93-6894a57f9324"'],
    }),
  ),
});

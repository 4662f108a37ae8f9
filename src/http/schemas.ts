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

/**
 * No control characters, and one that can be seen. What leads up to the first visible character cannot be that character:
 * one way to match, so linear time however long the text.
 */
export const visiblePattern = '^[\\p{Z}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}]*[^\\p{Z}\\p{C}]\\P{Cc}*$';
/** For text of several lines: one character that can be seen, anywhere. */
export const seenPattern = '[^\\p{Z}\\p{C}]';
export const linePattern = '^\\P{Cc}*$';
export const usernamePattern = '^[A-Za-z0-9_.]{3,30}$';
export const currencyPattern = '^[A-Z]{3}$';
/** With the format `grapheme`, which a blank would satisfy too. */
export const emojiPattern = '^[^\\s\\p{Cc}]+$';

/** One line of text with something to see in it; lengths in characters. */
export function text(minLength: number, maxLength: number, options: TSchemaOptions = {}) {
  return Type.String({
    minLength,
    maxLength,
    pattern: minLength > 0 ? visiblePattern : linePattern,
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
export const OnceHeaders = Type.Object({
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

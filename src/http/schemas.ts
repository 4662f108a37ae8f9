/** Named schemas, and building blocks for the schemas of all modules. */
import { type Static, type TSchema, type TSchemaOptions, type TUnsafe, Type } from 'typebox';

const namedSchemasById = new Map<string, TSchema>();

/**
 * Names a schema. It becomes a component of the OpenAPI document, and other schemas refer to it with `ref`.
 * @throws Error if another schema has the name
 */
export function named<S extends TSchema>(name: string, schema: S): S {
  if (namedSchemasById.has(name)) throw new Error(`two schemas are named ${name}`);
  const namedSchema = { ...schema, $id: name };
  namedSchemasById.set(name, namedSchema);
  return namedSchema;
}

/** The named schemas of all modules that are loaded, by name. */
export const namedSchemas = (): TSchema[] =>
  [...namedSchemasById].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, schema]) => schema);

export const namedSchema = (name: string): TSchema | undefined => namedSchemasById.get(name);

/** The name of a named schema. */
export const nameOf = (schema: TSchema): string => (schema as { $id?: string }).$id ?? '';

/** A reference to a named schema, with the type of its values. */
export const ref = <S extends TSchema>(schema: S): TUnsafe<Static<S>> =>
  Type.Unsafe<Static<S>>({ $ref: `${nameOf(schema)}#` });

/** A string that is one of `values`. */
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
 * Patterns are published in the OpenAPI document, so each matches the same strings with and without the `u`
 * flag: many tools compile patterns without the flag, and `\p{…}` then matches the letters of its own name.
 * Rules that need Unicode properties are formats (validation.ts, text.ts). A format checks everything that
 * the pattern next to it checks, and more.
 */

/** The control characters (Cc), for use inside brackets. */
const controls = '\\x00-\\x1f\\x7f-\\x9f';
/** No white space and no control character. */
const seen = `[^\\s${controls}]`;
/**
 * White space that does not end a line. The line and paragraph separators, which are not in it, must not stand in a pattern:
 * generators of code write patterns as literals of regular expressions, which a line separator ends.
 */
const space = '[ \\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000\\ufeff]';
/**
 * No control characters or line breaks, and at least one character that is not white space, next to the format
 * `visible-line`. There is only one way to match a string, so matching takes linear time.
 */
export const visiblePattern = `^${space}*${seen}(?:${seen}|${space})*$`;
/** The pattern for text of several lines, next to the format `visible-text`. */
export const seenPattern = seen;
export const linePattern = `^(?:${seen}|${space})*$`;
/** At least one letter or digit. There is only one way to match a string, as above. */
export const usernamePattern = '^[_.]*[A-Za-z0-9][A-Za-z0-9_.]*$';
export const currencyPattern = '^[A-Z]{3}$';
/** Excludes white space, which the format `grapheme` allows. */
export const emojiPattern = `^${seen}+$`;

/**
 * One line of text with at least one visible character if `minLength` is above 0; lengths are in characters. Validation
 * removes the controls of the writing direction (validation.ts), so the text cannot reorder the text after it.
 */
export function text(minLength: number, maxLength: number, options: TSchemaOptions = {}) {
  return Type.String({
    minLength,
    maxLength,
    ...(minLength > 0 ? { format: 'visible-line', pattern: visiblePattern } : { pattern: linePattern }),
    'x-without-bidi-controls': true,
    ...options,
  });
}

/** Text of any number of lines; `maxLength` is in characters. */
export function prose(maxLength: number, options: TSchemaOptions = {}) {
  return Type.String({ maxLength, ...options });
}

/** A time in responses. Rows have dates, which the serializers of responses write in this format. */
export const timestamp = (options: TSchemaOptions = {}) =>
  Type.Unsafe<Date | string>({
    type: 'string',
    format: 'date-time',
    examples: ['2026-12-24T18:00:00.000Z'],
    ...options,
  });

export const latitude = Type.Number({ minimum: -90, maximum: 90, examples: [57.7089] });
export const longitude = Type.Number({ minimum: -180, maximum: 180, examples: [11.9746] });

/** For the description of each field whose image may be at any address. */
export const anyServerText =
  'It may be on any server, and a client that loads the image shows that server the address of its user. The pages of ' +
  'this server show no images of others.';

export const httpUrl = (options: TSchemaOptions = {}) =>
  Type.String({ format: 'http-url', maxLength: 2048, ...options });

export const httpsUrl = (options: TSchemaOptions = {}) => httpUrl({ format: 'https-url', ...options });

/** A request body without additional properties: an unknown field gets a 400 that names the field. */
export function body<P extends Record<string, TSchema>>(properties: P, options: TSchemaOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** The position of a page (specification 2.8). */
export const PageMeta = named(
  'PageMeta',
  Type.Object({
    total: Type.Integer({ description: 'The number of elements on all pages together.', examples: [57] }),
    page: Type.Integer({ examples: [1] }),
    limit: Type.Integer({ examples: [20] }),
  }),
);

export const Success = named('Success', Type.Object({ success: Type.Literal(true) }));

/** The schema of a list without pages: `ItemList` for the named schema `Item`. */
export const listOf = <S extends TSchema>(element: S) =>
  named(`${nameOf(element)}List`, Type.Object({ data: Type.Array(ref(element)) }));

export const page = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  default: 1,
  description: 'The page number, from 1.',
});
export const pageLimit = Type.Integer({
  minimum: 1,
  maximum: 50,
  default: 20,
  description: 'The maximum number of elements on a page.',
});

/** A quoted string as in the IETF draft, or an unquoted one, which most clients send. */
export const IdempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      pattern:
        '^(?:[!#-+\\-.-\\[\\]-~]{1,255}|"(?=[^"\\\\]|\\\\["\\\\])(?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255}")$',
      description:
        'Makes the request safe to repeat: within 24 hours the same request with the same key has no effect and gets ' +
        'the first response again. 1 to 255 visible characters, such as a new UUID, with or without quotes.',
    }),
  ),
});

/** What a suspended person is told. */
export const Suspension = named(
  'Suspension',
  Type.Object(
    {
      suspendedAt: timestamp(),
      reason: Type.String({
        description: 'What the admin wrote to the person; may be empty.',
        examples: ['Selling tickets to events that do not exist'],
      }),
    },
    {
      description:
        "The suspension of the caller's account. A problem has it only if the request has a token of the person, also of a " +
        'session that the suspension ended.',
    },
  ),
);

/** Makes examples of responses from their schemas. */

/** A schema of the OpenAPI document. */
export type DocumentSchema = {
  $ref?: string;
  type?: string;
  format?: string;
  properties?: Record<string, DocumentSchema>;
  items?: DocumentSchema;
  anyOf?: DocumentSchema[];
  allOf?: DocumentSchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  minimum?: number;
  examples?: unknown[];
};
export type DocumentSchemas = Record<string, DocumentSchema>;

const id = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

/** By the name of a property whose schema has no example. */
const valuesByName: Record<string, unknown> = {
  address: 'Slottsskogen, Göteborg',
  avatar: `https://events.example.org/v1/users/${id}/avatar.svg`,
  bio: 'Bakes sourdough, and brings too much of it.',
  byUserId: id,
  city: 'Göteborg',
  code: '123456',
  coverUrl: `https://events.example.org/v1/events/${id}/cover.svg`,
  description: 'Bring something to share. Plates are there.',
  distanceKm: 1.4,
  followersCount: 12,
  height: 1080,
  html: '<p>Bring something to share.</p>',
  id,
  imageUrl: `https://events.example.org/v1/uploads/${id}.webp`,
  lat: 57.6857,
  lng: 11.9434,
  name: 'Mara Lindgren',
  nextCursor: 'eyJhZnRlciI6IjIwMjYtMTItMjQifQ',
  subjectId: id,
  suspensionReason: 'Advertising in messages.',
  text: 'I bring two loaves.',
  uid: `${id}@events.example.org`,
  url: `https://events.example.org/v1/uploads/${id}.webp`,
  userAgent: 'Firefox 140 on Linux',
  userId: id,
  width: 1920,
};

const valuesByType: Record<string, unknown> = {
  boolean: false,
  integer: 3,
  number: 3,
  string: 'text',
  null: null,
};

/** Properties that only a server for development sends. */
const omitted = new Set(['devCode', 'devLink']);

/**
 * Returns a value that the schema allows, with all properties of objects and one element of arrays.
 * @param name of the property or operation whose value it is
 */
export function exampleOf(schema: DocumentSchema, schemas: DocumentSchemas, name = ''): unknown {
  const { $ref, anyOf, allOf, items, properties, type = '' } = schema;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if ($ref) {
    const referred = schemas[$ref.replace('#/components/schemas/', '')];
    if (!referred) throw new Error(`no schema ${$ref}`);
    return exampleOf(referred, schemas, name);
  }
  if (anyOf) return exampleOf(anyOf.find((part) => part.type !== 'null') ?? {}, schemas, name);
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, schemas, name)));
  if (items) return [exampleOf(items, schemas, name)];
  if (properties)
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([property]) => !omitted.has(property))
        .map(([property, inner]) => [property, exampleOf(inner, schemas, property)]),
    );
  return schema.enum?.[0] ?? schema.default ?? valuesByName[name] ?? schema.minimum ?? valuesByType[type];
}

/** Generates random requests for every operation, from the OpenAPI document and from the specification. */
import fc, { type Arbitrary } from 'fast-check';
import { operations as specification } from '../../test/operations/all.ts';
import { type Parameter, resolveSchema, type Schema } from '../../test/operations/openapi-operations.ts';
import type { OpenApi } from '../api.ts';
import type { Operation } from './oracle.ts';
import { specBody, specQuery } from './spec-values.ts';
import { broken, brokenText, valid } from './values.ts';

export type Step = {
  operation: Operation;
  query: [string, string][];
  /** Undefined for a request without a body. */
  body: unknown;
  /** Malformed JSON, sent instead of the body. */
  malformedBody: string | null;
  as: 'anonymous' | 'stranger' | 'owner' | 'any person' | 'bad token';
  id: { from: 'own' | 'others' | 'other kind' | 'junk'; n: number; junk: string };
  /** Whether known codes and tokens replace the generated ones in the body. */
  usesKnownSecrets: boolean;
};

type DocumentOperation = {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

export function readOperations(document: OpenApi): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, raw]) => {
      const { security = [], parameters = [], requestBody } = raw as DocumentOperation;
      // Uploads, which take other media types than JSON, have their own tests.
      if (requestBody && !requestBody.content['application/json']) return [];
      const schema = requestBody?.content['application/json']?.schema;
      const isOptional = security.some((scheme) => Object.keys(scheme).length === 0);
      return {
        method: method.toUpperCase(),
        path,
        access: security.length === 0 ? 'public' : isOptional ? 'optional' : 'required',
        body: schema ? resolveSchema(document, schema) : null,
        query: parameters.filter((parameter) => parameter.in === 'query'),
      } satisfies Operation;
    }),
  );
}

const mostly = <T>(usual: Arbitrary<T>, rare: Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: rare, weight: 1 });

/** From the document or from the specification, whose bounds may differ. */
function anyQuery(operation: Operation): Arbitrary<[string, string][]> {
  const { query } = specification[`${operation.method} ${operation.path}`] ?? {};
  return query ? fc.oneof(documentedQuery(operation), specQuery(query)) : documentedQuery(operation);
}

function documentedQuery({ query }: Operation): Arbitrary<[string, string][]> {
  const validQuery = fc
    .tuple(
      ...query.map(({ name, required, schema }) =>
        fc
          .tuple(valid(schema), required ? fc.constant(true) : fc.boolean())
          .map(([value, isSent]) => ({ name, value, isSent })),
      ),
    )
    .map((all) =>
      all.flatMap(({ name, value, isSent }): [string, string][] => (isSent ? [[name, `${value}`]] : [])),
    );
  const names = fc.constantFrom(...query.map(({ name }) => name), 'surprise');
  const brokenQuery = fc
    .tuple(validQuery, names, brokenText, fc.integer({ min: 0, max: 5 }))
    .map(([pairs, name, text, how]) => {
      const others = pairs.filter(([known]) => known !== name);
      if (how === 0) return others;
      return how === 1
        ? [...pairs, [name, text] as [string, string]]
        : [...others, [name, text] as [string, string]];
    });
  return mostly(validQuery, brokenQuery);
}

function stepOf(operation: Operation): Arbitrary<Step> {
  const { body } = operation;
  const spec = specification[`${operation.method} ${operation.path}`]?.body;
  const noBody = fc.constantFrom(undefined, undefined, undefined, {});
  const unexpectedBody: Arbitrary<unknown> = mostly(
    noBody,
    fc.oneof(fc.jsonValue(), fc.constant({ surprise: 1 })),
  );
  const malformedBody = fc.constantFrom('{', '[1', '{"a":}', 'a=b', '\u0000', '<x/>', '{"a":1}{', "{'a':1}");
  return fc.record({
    operation: fc.constant(operation),
    query: anyQuery(operation),
    body:
      operation.method === 'GET'
        ? fc.constant(undefined)
        : body
          ? fc.oneof(mostly(valid(body), broken(body)), ...(spec ? [specBody(spec)] : []))
          : unexpectedBody,
    malformedBody: fc.oneof(
      { arbitrary: fc.constant(null), weight: 30 },
      { arbitrary: malformedBody, weight: operation.method === 'GET' ? 0 : 1 },
    ),
    as: fc.constantFrom(
      'anonymous',
      'stranger',
      'owner',
      'owner',
      'owner',
      'any person',
      'any person',
      'bad token',
    ),
    id: fc.record({
      from: fc.constantFrom('own', 'own', 'own', 'others', 'other kind', 'junk'),
      n: fc.nat(9),
      junk: fc.oneof(
        fc.uuid(),
        // Clients resolve dot segments and do not send them.
        fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^\.+$/.test(text)),
        fc.constantFrom('%', 'null'),
      ),
    }),
    usesKnownSecrets: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
  });
}

/**
 * Requests that create resources are more frequent than those that delete them, so that resources accumulate.
 */
const weights: Record<string, number> = {
  'POST /v1/events': 6,
  'POST /v1/events/{id}/items': 6,
  'POST /v1/events/{id}/rsvp': 6,
  'POST /v1/items/{id}/claim': 6,
  'PATCH /v1/events/{id}': 4,
  'GET /v1/events': 6,
};

export function anyStep(operations: Operation[]): Arbitrary<Step> {
  // Which addresses of calendars are public is no rule of the schema. test/imports/ has hostile ones.
  const generated = operations.filter(({ path }) => !/\/(?:imports)\b/.test(path));
  const all = generated.map((operation) => ({
    arbitrary: stepOf(operation),
    weight: weights[`${operation.method} ${operation.path}`] ?? 2,
  }));
  return fc.oneof(...all);
}

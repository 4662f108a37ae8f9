/** Requests at random, for every operation of the document. */
import fc, { type Arbitrary } from 'fast-check';
import type { Parameter, Schema } from '../../test/openapi-operations.ts';
import type { Operation } from './oracle.ts';
import { broken, brokenText, valid } from './values.ts';

export type Step = {
  operation: Operation;
  query: [string, string][];
  /** Undefined: none is sent. */
  body: unknown;
  /** Sent instead of the body, and no JSON. */
  noise: string | null;
  as: 'nobody' | 'stranger' | 'owner' | 'somebody' | 'bad token';
  id: { from: 'own' | 'others' | 'elsewhere' | 'junk'; n: number; junk: string };
  /** Whether secrets that the body asks for are put in, where they are known. */
  fill: boolean;
};

type Raw = {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};

export function readOperations(paths: Record<string, Record<string, unknown>>): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, raw]) => {
      const { security = [], parameters = [], requestBody } = raw as Raw;
      // What takes other bytes than JSON is a matter of tests of its own.
      if (requestBody && !requestBody.content['application/json']) return [];
      const isOptional = security.some((way) => Object.keys(way).length === 0);
      return {
        method: method.toUpperCase(),
        path,
        access: security.length === 0 ? 'public' : isOptional ? 'optional' : 'required',
        body: requestBody?.content['application/json']?.schema ?? null,
        query: parameters.filter((parameter) => parameter.in === 'query'),
      } satisfies Operation;
    }),
  );
}

const often = <T>(usual: Arbitrary<T>, rare: Arbitrary<T>) =>
  fc.oneof({ arbitrary: usual, weight: 3 }, { arbitrary: rare, weight: 1 });

function aQuery({ query }: Operation): Arbitrary<[string, string][]> {
  const fitting = fc
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
  const odd = fc
    .tuple(fitting, names, brokenText, fc.integer({ min: 0, max: 5 }))
    .map(([pairs, name, text, how]) => {
      const others = pairs.filter(([known]) => known !== name);
      if (how === 0) return others;
      return how === 1
        ? [...pairs, [name, text] as [string, string]]
        : [...others, [name, text] as [string, string]];
    });
  return often(fitting, odd);
}

function aStep(operation: Operation): Arbitrary<Step> {
  const { body } = operation;
  const noBody = fc.constantFrom(undefined, undefined, undefined, {});
  const none: Arbitrary<unknown> = often(noBody, fc.oneof(fc.jsonValue(), fc.constant({ surprise: 1 })));
  const noise = fc.constantFrom('{', '[1', '{"a":}', 'a=b', '\u0000', '<x/>', '{"a":1}{', "{'a':1}");
  return fc.record({
    operation: fc.constant(operation),
    query: aQuery(operation),
    body:
      operation.method === 'GET' ? fc.constant(undefined) : body ? often(valid(body), broken(body)) : none,
    noise: fc.oneof(
      { arbitrary: fc.constant(null), weight: 30 },
      { arbitrary: noise, weight: operation.method === 'GET' ? 0 : 1 },
    ),
    as: fc.constantFrom('nobody', 'stranger', 'owner', 'owner', 'owner', 'somebody', 'somebody', 'bad token'),
    id: fc.record({
      from: fc.constantFrom('own', 'own', 'own', 'others', 'elsewhere', 'junk'),
      n: fc.nat(9),
      junk: fc.oneof(
        fc.uuid(),
        // Clients take dots for steps through the path and send none of them.
        fc.string({ minLength: 1, maxLength: 20 }).filter((text) => !/^\.+$/.test(text)),
        fc.constantFrom('%', 'null'),
      ),
    }),
    fill: fc.integer({ min: 0, max: 9 }).map((n) => n > 1),
  });
}

/** What makes things comes more often than what takes them away, so that there is something to work with. */
const weights: Record<string, number> = {
  'POST /v1/events': 6,
  'POST /v1/events/{id}/items': 6,
  'POST /v1/events/{id}/rsvp': 6,
  'POST /v1/items/{id}/claim': 6,
  'PATCH /v1/events/{id}': 4,
  'GET /v1/events': 6,
};

export function anyStep(operations: Operation[]): Arbitrary<Step> {
  const all = operations.map((operation) => ({
    arbitrary: aStep(operation),
    weight: weights[`${operation.method} ${operation.path}`] ?? 2,
  }));
  return fc.oneof(...all);
}

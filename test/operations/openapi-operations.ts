/** Reads the OpenAPI document, so that tests cover every operation, including operations added later. */
import assert from 'node:assert/strict';
import { eventBody } from '../support/factories.ts';
import { type Api, type ApiResponse, expectProblem, type TestApp } from '../support/setup.ts';
import { operations as table } from './all.ts';

export type Schema = {
  $ref?: string;
  type?: string;
  enum?: string[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minItems?: number;
  maxItems?: number;
  'x-max-decimals'?: number;
};
export type Parameter = { in: string; name: string; required?: boolean; schema: Schema; example?: unknown };
export type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema } } };
};

export type Ids = { event: string; item: string; user: string };

/** Returns the schema that a reference of the document refers to, and any other schema unchanged. */
export const resolveSchema = <S extends { $ref?: string }>(
  document: { components: { schemas: Record<string, S> } },
  schema: S,
): S => document.components.schemas[schema.$ref?.replace('#/components/schemas/', '') ?? ''] ?? schema;

/** Returns every operation with the ids inserted into its path, and the example of its body from the table of operations. */
export async function listOperations(api: Pick<TestApp, 'get'>, ids: Ids) {
  const { body: document } = await api.get('/openapi.json');
  const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path: path.replace(
        '{id}',
        /^\/v1\/(event|item|user)/.exec(path)?.[1] === 'item'
          ? ids.item
          : path.startsWith('/v1/users/')
            ? ids.user
            : ids.event,
      ),
      operation,
      example: table[`${method.toUpperCase()} ${path}`]?.example?.(),
    })),
  );
  const withBody = operations.flatMap(({ method, path, operation, example }) => {
    const media = operation.requestBody?.content['application/json'];
    if (!media) return [];
    assert.ok(example, `${method} ${path} needs an example in test/operations/`);
    return [{ method, path, schema: resolveSchema(document, media.schema), example }];
  });
  const withQuery = operations.flatMap(({ method, path, operation }) => {
    const parameters = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    return parameters.length > 0 ? [{ method, path, parameters }] : [];
  });
  assert.ok(
    withBody.length >= 8 && withQuery.length >= 4,
    'the document has too few operations with a body or with query parameters',
  );
  return { operations, withBody, withQuery };
}

/** Returns the dotted path and the schema of every field of a body, at any depth. */
export function listFields(schema: Schema, prefix = ''): { path: string; schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix + name;
    return inner.properties
      ? [{ path, schema: inner }, ...listFields(inner, `${path}.`)]
      : [{ path, schema: inner }];
  });
}

/** Returns the example with one field set, or removed if `value` is undefined. */
export function withChangedField(
  example: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [name = '', ...rest] = path.split('.');
  const { [name]: old, ...others } = example;
  if (rest.length > 0)
    return {
      ...example,
      [name]: withChangedField(
        (old ?? eventBody()[name as 'location'] ?? {}) as Record<string, unknown>,
        rest.join('.'),
        value,
      ),
    };
  return value === undefined ? others : { ...example, [name]: value };
}

/** Sends a request as a page of this server does: the sign-in of browsers accepts no others. */
export const callAsPage =
  (api: Api): Api['call'] =>
  (method, path, { headers, ...call } = {}) =>
    api.call(method, path, { ...call, headers: { ...headers, 'sec-fetch-site': 'same-origin' } });

/** Returns the paths of the invalid fields in a 400 response. */
export const errorPaths = (response: ApiResponse): string[] =>
  (response.body.errors ?? []).map((error: { path: string }) => error.path);

/** Asserts a 400 that names this field and no other. */
export function expectFieldError(response: ApiResponse, path: string, message: string): void {
  expectProblem(response, 400, 'invalid_request');
  assert.deepEqual(errorPaths(response), [path], `${message}: ${JSON.stringify(response.body)}`);
  assert.ok(response.body.detail.includes(path), response.body.detail);
}

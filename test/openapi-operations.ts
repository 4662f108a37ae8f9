/** The OpenAPI document as tests walk it: a route that is added is held to them at once. */
import assert from 'node:assert/strict';
import { eventBody } from './factories.ts';
import { type ApiResponse, expectProblem, type TestApp } from './setup.ts';

export type Schema = {
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
  maxItems?: number;
  'x-max-decimals'?: number;
};
export type Parameter = { in: string; name: string; required?: boolean; schema: Schema };
export type Operation = {
  operationId: string;
  parameters?: Parameter[];
  requestBody?: { content: { 'application/json': { schema: Schema; example: Record<string, unknown> } } };
};

export type Ids = { event: string; item: string; user: string };

/** Every operation, with the ids put into its path. */
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
    })),
  );
  const withBody = operations.flatMap(({ method, path, operation }) => {
    const media = operation.requestBody?.content['application/json'];
    return media ? [{ method, path, ...media }] : [];
  });
  const withQuery = operations.flatMap(({ method, path, operation }) => {
    const parameters = operation.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    return parameters.length > 0 ? [{ method, path, parameters }] : [];
  });
  assert.ok(
    withBody.length >= 8 && withQuery.length >= 4,
    'the document was not read as these tests read it',
  );
  return { operations, withBody, withQuery };
}

/** Every field of a body that holds a plain value: its dotted path and its schema. */
export function listFields(schema: Schema, prefix = ''): { path: string; schema: Schema }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = prefix + name;
    return inner.properties
      ? [{ path, schema: inner }, ...listFields(inner, `${path}.`)]
      : [{ path, schema: inner }];
  });
}

/** The example with one field set, or taken away. */
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
        (old ?? eventBody()[name as 'location']) as Record<string, unknown>,
        rest.join('.'),
        value,
      ),
    };
  return value === undefined ? others : { ...example, [name]: value };
}

/** The fields that a refusal names. */
export const errorPaths = (answer: ApiResponse): string[] =>
  (answer.body.errors ?? []).map((error: { path: string }) => error.path);

/** A 400 that names this field and no other. */
export function expectFieldError(answer: ApiResponse, path: string, what: string): void {
  expectProblem(answer, 400, 'invalid_request');
  assert.deepEqual(errorPaths(answer), [path], `${what}: ${JSON.stringify(answer.body)}`);
  assert.ok(answer.body.detail.includes(path), answer.body.detail);
}

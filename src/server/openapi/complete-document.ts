/**
 * Completes the OpenAPI document after all operations are in it: names schemas of bodies, shares what many operations have, and
 * adds the headers and examples of responses.
 */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { type DocumentSchema, type DocumentSchemas, exampleOf } from './example-of.ts';

type Reference = { $ref: string };
type Media = { schema?: DocumentSchema; example?: unknown; examples?: Record<string, Reference> };
type Content = Record<string, Media>;
type Response = { description: string; headers?: Record<string, object>; content?: Content };
type Operation = {
  operationId: string;
  requestBody?: { content: Content };
  responses: Record<string, Response | Reference>;
};
type Components = {
  schemas: DocumentSchemas;
  headers: Record<string, object>;
  responses: Record<string, Response>;
  examples: Record<string, { value: unknown }>;
};
type Document = { paths: Record<string, Record<string, Operation>>; components: Components };

type TransformObject = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;

/** @throws Error if two schemas or responses would have the same name */
export const completeDocument: TransformObject = (documentObject) => {
  if (!('openapiObject' in documentObject)) return documentObject.swaggerObject;
  const { openapiObject } = documentObject;
  const { paths, components } = openapiObject as unknown as Document;
  Object.assign(components, { headers: headersOfAll, responses: {}, examples: {} });
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    nameBody(operation, components);
    addExamples(operation, components);
    addHeaders(operation);
    shareProblems(operation, components);
  }
  return openapiObject;
};

/** Moves the schema of the JSON body to the components, as `CreateEventBody`: generated clients have a type for it. */
function nameBody({ operationId, requestBody }: Operation, { schemas }: Components): void {
  const media = requestBody?.content['application/json'];
  if (!media?.schema || media.schema.$ref) return;
  const name = `${pascalCase(operationId)}Body`;
  if (schemas[name]) throw new Error(`two schemas are named ${name}`);
  schemas[name] = media.schema;
  media.schema = referTo('schemas', name);
}

/** Adds an example to each success with a JSON body; operations with the same schema share it. */
function addExamples({ operationId, responses }: Operation, { schemas, examples }: Components): void {
  for (const [status, response] of Object.entries(responses)) {
    const media =
      isSuccess(status) && 'content' in response ? response.content?.['application/json'] : undefined;
    if (!media?.schema) continue;
    const name = media.schema.$ref?.split('/').at(-1) ?? pascalCase(operationId);
    examples[name] ??= { value: exampleOf(media.schema, schemas, operationId) };
    media.examples = { [name]: referTo('examples', name) };
  }
}

/** The headers of every response. */
const headersOfAll = {
  'X-Request-Id': {
    description: 'The id of the request. Include it in questions to the operator.',
    schema: { type: 'string' },
  },
  RateLimit: {
    description:
      'The requests that are left to the client network (`r`) in the current window, which ends after `t` seconds, as in ' +
      'draft-ietf-httpapi-ratelimit-headers-10. `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` have the same ' +
      'values as numbers. Absent if the operator has switched the limit off.',
    schema: { type: 'string', examples: ['"default";r=599;t=60'] },
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests of a client network in a window of `w` seconds.',
    schema: { type: 'string', examples: ['"default";q=600;w=60'] },
  },
};

function addHeaders({ responses }: Operation): void {
  for (const response of Object.values(responses))
    if ('description' in response)
      response.headers = {
        ...response.headers,
        ...Object.fromEntries(Object.keys(headersOfAll).map((name) => [name, referTo('headers', name)])),
      };
}

/** Moves the responses with problems to the components, where operations with the same problems share them. */
function shareProblems({ responses }: Operation, { responses: shared }: Components): void {
  for (const [status, response] of Object.entries(responses)) {
    const schema = 'content' in response ? response.content?.['application/problem+json']?.schema : undefined;
    if (!schema) continue;
    const codes = schema.allOf?.at(-1)?.properties?.code?.anyOf?.[0]?.enum ?? [];
    const name = codes.map((code) => pascalCase(`${code}`)).join('Or');
    const known = shared[name];
    if (known && JSON.stringify(known) !== JSON.stringify(response))
      throw new Error(`two responses are named ${name}`);
    shared[name] = response as Response;
    responses[status] = referTo('responses', name);
  }
}

const isSuccess = (status: string) => status.startsWith('2');

const referTo = (kind: keyof Components, name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

/** `EventNotFound` of `event_not_found`, `CreateEvent` of `createEvent`. */
const pascalCase = (name: string): string =>
  name
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('');

/**
 * Validates responses against the OpenAPI document. An undeclared status, code, media type or field fails the
 * test.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createParser } from 'eventsource-parser';

type ReceivedResponse = { status: number; headers: Pick<Headers, 'get'>; body: unknown };
type StreamMessage = { event?: string | undefined; id?: string | undefined; data: unknown };
export type Contract = {
  check(method: string, path: string, response: ReceivedResponse): void;
  /** Validates the messages of a live stream. */
  checkMessages(messages: StreamMessage[]): void;
};

export type DeclaredResponse = {
  $ref?: string;
  content?: Record<string, { schema: object }>;
  headers?: Record<string, object>;
};
type Operation = { responses: Record<string, DeclaredResponse> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, DeclaredResponse> };
};

/** Returns the response that a reference of the document refers to, and any other response unchanged. */
export const resolveResponse = <R extends { $ref?: string }>(
  document: { components: { responses: Record<string, R> } },
  response: R,
): R =>
  document.components.responses[response.$ref?.replace('#/components/responses/', '') ?? ''] ?? response;

/** HTML pages and their resources. They are not part of the API and are missing from the OpenAPI document. */
const pages =
  /^\/(favicon\.ico|robots\.txt|sitemap\.xml(\?.*)?|licenses\.txt|docs\/?|docs\/errors|docs\/js\/scalar\.js|openapi\.json)?$/;

const schemaPrefix = '#/components/schemas/';

/** @param openApi the OpenAPI document of the server */
export function readContract(openApi: unknown): Contract {
  const document = close(openApi) as Document;
  const { validatorOf, namedValidator } = createValidators(document.components.schemas);
  const paths = Object.keys(document.paths)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }))
    // Paths without parameters come first, so that `/v1/events/search` is not matched as `/v1/events/{id}`.
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  const checkMessages: Contract['checkMessages'] = (messages) => {
    for (const { event, id, data } of messages) {
      const message = { event, ...(id && { id }), data };
      assertValid(namedValidator('LiveMessage'), message, `message ${event}`);
      assertValid(namedValidator('LiveData'), data, `data of ${event}`);
    }
  };

  return {
    checkMessages,
    check(method, url, { status, headers, body }) {
      const path = paths.find(({ pattern }) => pattern.test(url.split('?', 1)[0] ?? ''))?.path;
      const name = `${method} ${path ?? url} → ${status}`;
      const operation = path && document.paths[path]?.[method.toLowerCase()];
      const type = headers.get('content-type')?.split(';', 1)[0] ?? '';
      if (!operation) {
        // The document has no operation for unknown routes. Their error responses must still be valid
        // problems.
        if (status < 400)
          assert.ok(pages.test(url) || ['HEAD', 'OPTIONS'].includes(method), `${name} is not declared`);
        if (status >= 400 && method !== 'HEAD') assertValid(namedValidator('Problem'), body, name);
        return;
      }
      const response = operation.responses[status];
      assert.ok(response, `${name} is not declared: ${JSON.stringify(body)}`);
      const schema = resolveResponse(document, response).content?.[type]?.schema;
      assert.ok(schema, `${name} is not declared as ${type}`);
      if (type === 'text/event-stream') return checkMessages(parseMessages(`${body}`));
      assertValid(validatorOf(schema), body, name);
    },
  };
}

/**
 * Compiles the schemas that a suite needs, and adds the named schemas that these refer to. Adding the whole document
 * would take Ajv longer than many test files run.
 */
function createValidators(schemas: Document['components']['schemas']) {
  // openapi.test.ts checks the document itself, with two linters.
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addFormat('http-url', true);
  ajv.addFormat('https-url', true);
  const added = new Set<string>();
  const validators = new Map<object, ValidateFunction>();

  function addReferenced(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, inner] of Object.entries(node)) {
      if (key === '$ref' && typeof inner === 'string') addNamed(inner);
      else addReferenced(inner);
    }
  }

  function addNamed(ref: string): void {
    if (added.has(ref)) return;
    added.add(ref);
    const schema = named(ref.slice(schemaPrefix.length));
    ajv.addSchema(schema, ref);
    addReferenced(schema);
  }

  function named(name: string): object {
    const schema = schemas[name];
    assert.ok(schema, `the document has no schema ${name}`);
    return schema;
  }

  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    addReferenced(schema);
    const validate = ajv.compile(schema);
    validators.set(schema, validate);
    return validate;
  }

  return { validatorOf, namedValidator: (name: string) => validatorOf(named(name)) };
}

function parseMessages(text: string): StreamMessage[] {
  const messages: StreamMessage[] = [];
  createParser({ onEvent: ({ data, ...rest }) => messages.push({ ...rest, data: JSON.parse(data) }) }).feed(
    text,
  );
  return messages;
}

function assertValid(validate: ValidateFunction, body: unknown, name: string): void {
  assert.ok(validate(body), `${name}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`);
}

/** Closes lists that later versions extend, and sets `additionalProperties: false` on every object schema with properties, except inside `allOf`. */
function close(node: unknown, inAllOf = false): unknown {
  if (Array.isArray(node)) return node.map((inner) => close(inner, inAllOf));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, inner]) => [key, close(inner, key === 'allOf')]);
  const closed: Record<string, unknown> = Object.fromEntries(entries);
  const [list, text] = (closed.anyOf ?? []) as { enum?: string[]; type?: string }[];
  if (list?.enum && text?.type === 'string' && !text.enum) return list;
  const listsProperties = closed.type === 'object' && closed.properties && !inAllOf;
  return listsProperties ? { ...closed, additionalProperties: false } : closed;
}

/**
 * Validates responses against the OpenAPI document. An undeclared status, code, media type or field fails the
 * test.
 */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createParser } from 'eventsource-parser';

type ReceivedResponse = { status: number; headers: Headers; body: unknown };
type StreamMessage = { event?: string | undefined; id?: string | undefined; data: unknown };
export type Contract = {
  check(method: string, path: string, response: ReceivedResponse): void;
  /** Validates the messages of a live stream. */
  checkMessages(messages: StreamMessage[]): void;
};

type Operation = { responses: Record<string, { content?: Record<string, { schema: unknown }> }> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

/** HTML pages and their resources. They are not part of the API and are missing from the OpenAPI document. */
const pages = /^\/(favicon\.ico|robots\.txt|docs\/?|docs\/errors|docs\/js\/scalar\.js|openapi\.json)?$/;

export function readContract(swagger: unknown): Contract {
  const document = close(structuredClone(swagger)) as Document;
  // openapi.test.ts checks the document itself, with two linters.
  const ajv = new Ajv2020({ strict: false, allErrors: true, meta: false, validateSchema: false });
  addFormats.default(ajv);
  ajv.addFormat('http-url', true);
  ajv.addSchema(document, 'openapi');
  const paths = Object.keys(document.paths)
    .map((path) => ({
      path,
      pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}$`),
    }))
    // Paths without parameters come first, so that `/v1/events/search` is not matched as `/v1/events/{id}`.
    .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string) => {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    validators.set(pointer, known);
    return known;
  };

  const checkMessages: Contract['checkMessages'] = (messages) => {
    for (const { event, id, data } of messages) {
      const message = { event, ...(id && { id }), data };
      assertValid(validator('/components/schemas/LiveMessage'), message, `message ${event}`);
      assertValid(validator('/components/schemas/LiveData'), data, `data of ${event}`);
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
        if (status >= 400 && method !== 'HEAD')
          assertValid(validator('/components/schemas/Problem'), body, name);
        return;
      }
      assert.ok(operation.responses[status], `${name} is not declared: ${JSON.stringify(body)}`);
      assert.ok(operation.responses[status]?.content?.[type], `${name} is not declared as ${type}`);
      if (type === 'text/event-stream') return checkMessages(parseMessages(`${body}`));
      const pointer = [
        'paths',
        path,
        method.toLowerCase(),
        'responses',
        `${status}`,
        'content',
        type,
        'schema',
      ];
      assertValid(
        validator(
          pointer
            .map(
              (part) =>
                `/${part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}`,
            )
            .join(''),
        ),
        body,
        name,
      );
    },
  };
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

/** Sets `additionalProperties: false` on every object schema with properties, except inside `allOf`. */
function close(node: unknown, inAllOf = false): unknown {
  if (Array.isArray(node)) return node.map((inner) => close(inner, inAllOf));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, inner]) => [key, close(inner, key === 'allOf')]);
  const closed: Record<string, unknown> = Object.fromEntries(entries);
  const listsProperties = closed.type === 'object' && closed.properties && !inAllOf;
  return listsProperties ? { ...closed, additionalProperties: false } : closed;
}

/** What the build reads from the OpenAPI document, and how it adapts the document for the generator. */

export type Schema = {
  $ref?: string;
  contentSchema?: Schema;
  maxLength?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
};
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  'x-repeatable'?: true;
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; schema?: Schema }[];
  requestBody?: { content?: Content };
  responses?: Record<string, { content?: Content }>;
};
export type Document = {
  [key: string]: unknown;
  servers?: unknown;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: Record<string, { in?: string }> };
};

const operationsOf = ({ paths }: Document): { name: string; operation: Operation }[] =>
  Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${url}`,
      operation,
    })),
  );

/** The operations that accept an `Idempotency-Key`, such as `POST /v1/events`. */
export const listIdempotentOperations = (document: Document): string[] =>
  operationsOf(document)
    .filter(({ operation }) =>
      operation.parameters?.some(
        (parameter) => parameter.in === 'header' && /^idempotency-key$/i.test(parameter.name),
      ),
    )
    .map(({ name }) => name);

/** The paths of the POSTs that may be repeated, as a regular expression for the end of the path of an address. */
export function repeatablePostsPattern(document: Document): string {
  const paths = Object.entries(document.paths)
    .filter(([, { post }]) => post?.['x-repeatable'])
    .map(([url]) => url.replace(/\{\w+\}/g, '[^/]+'));
  return `(?:${paths.join('|')})$`;
}

/**
 * Changes the document in four places. The package works with every server, so it does not contain the address
 * of one. Browsers send cookies by themselves, and the generated code would send the access token as a cookie.
 * And generators type a stream as the `data` of its messages, because OpenAPI 3.1 has no keyword for the
 * messages themselves; this client yields messages, whose schema is the `contentSchema` of that data. And lists that later
 * versions extend are closed, because TypeScript has no type for them but `string`.
 */
export function adaptDocument(document: Document): void {
  const { securitySchemes } = document.components;
  const isCookie = (name: string) => securitySchemes[name]?.in === 'cookie';
  delete document.servers;
  closeLists(document);
  for (const { operation } of operationsOf(document)) {
    if (operation.security)
      operation.security = operation.security.filter((schemes) => !Object.keys(schemes).some(isCookie));
    for (const { content } of Object.values(operation.responses ?? {})) {
      const stream = content?.['text/event-stream'];
      const data = stream?.schema && resolve(document, stream.schema);
      if (stream && data?.contentSchema) stream.schema = data.contentSchema;
    }
  }
}

/** Makes `{ enum }` of each `{ anyOf: [{ enum }, { type: 'string' }] }`. */
function closeLists(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  const { anyOf } = node as { anyOf?: { enum?: string[]; type?: string }[] };
  if (Array.isArray(anyOf) && anyOf.length === 2 && anyOf[0]?.enum && isAnyText(anyOf[1])) {
    delete (node as { anyOf?: unknown }).anyOf;
    Object.assign(node, anyOf[0]);
  }
  for (const inner of Object.values(node)) closeLists(inner);
}

const isAnyText = (schema: object | undefined): boolean =>
  JSON.stringify(schema) === JSON.stringify({ type: 'string' });

/** Follows the reference of a schema, if it is one. */
export const resolve = ({ components }: Document, schema: Schema): Schema | undefined =>
  schema.$ref === undefined ? schema : components.schemas[schema.$ref.replace('#/components/schemas/', '')];

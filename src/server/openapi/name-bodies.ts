/** Names the schemas of request bodies after their operations, so that generated clients have types for them. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';

type TransformObject = NonNullable<FastifyDynamicSwaggerOptions['transformObject']>;
type Content = Record<string, { schema?: { $ref?: string } }>;
type Operation = { operationId: string; requestBody?: { content: Content } };

/** `CreateEventBody` for the operation `createEvent`. */
const bodyName = ({ operationId }: Operation): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Body`;

/**
 * Moves the schemas of JSON bodies to the components of the document, and refers to them.
 * @throws Error if another schema has the name
 */
export const nameBodies: TransformObject = (documentObject) => {
  if (!('openapiObject' in documentObject)) return documentObject.swaggerObject;
  const { openapiObject } = documentObject;
  const { paths = {}, components } = openapiObject;
  const schemas = (components?.schemas ?? {}) as Record<string, object>;
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods ?? {}))) {
    const media = (operation as Operation).requestBody?.content['application/json'];
    if (!media?.schema || media.schema.$ref) continue;
    const name = bodyName(operation as Operation);
    if (schemas[name]) throw new Error(`two schemas are named ${name}`);
    schemas[name] = media.schema;
    media.schema = { $ref: `#/components/schemas/${name}` };
  }
  return openapiObject;
};

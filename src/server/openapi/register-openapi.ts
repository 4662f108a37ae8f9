/**
 * Serves the OpenAPI 3.1 document, which is built from the schemas that validate requests and serialize
 * responses.
 */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { lazily } from '#base';
import type { Config } from '../../config/config.ts';
import { createDocument, sendUnversioned } from '../../http/documents.ts';
import { namedSchemas } from '../../http/schemas.ts';
import { completeDocument } from './complete-document.ts';
import { documentInfo } from './document-info.ts';
import { describeOperation } from './operation.ts';
import { registerReference } from './reference.ts';

/**
 * Adds the named schemas of all modules, so it must run after the modules are loaded and before they add
 * routes.
 */
export async function registerOpenApi(app: FastifyInstance, config: Config): Promise<void> {
  for (const schema of namedSchemas()) app.addSchema(schema);
  await app.register(swagger, {
    convertConstToEnum: false,
    openapi: documentInfo(config),
    hideUntagged: true,
    refResolver: {
      buildLocalReference: (json, _base, _fragment, i) => (json.$id as string | undefined) ?? `def-${i}`,
    },
    transformObject: completeDocument,
    transform: ({ schema, url, route }) => ({ schema: describeOperation(schema, route), url }),
  });

  // No route is added after the first request, so the document no longer changes.
  const read = lazily(async () => createDocument(JSON.stringify(app.swagger())));
  app.get(
    '/openapi.json',
    { schema: { hide: true }, config: { limits: { turns: 'document' } } },
    async (request, reply) =>
      sendUnversioned(request, reply, await read(), 'application/json; charset=utf-8'),
  );
  registerReference(app);
}

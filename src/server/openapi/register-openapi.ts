/**
 * Serves the OpenAPI 3.1 document, which is built from the schemas that validate requests and serialize
 * responses.
 */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { namedSchemas } from '../../http/schemas.ts';
import type { Config } from '../../lib/config.ts';
import { documentInfo } from './document-info.ts';
import { nameBodies } from './name-bodies.ts';
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
    transformObject: nameBodies,
    transform: ({ schema, url, route }) => ({ schema: describeOperation(schema, route), url }),
  });

  let json: string | undefined;
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    // No route is added after the first request, so the document no longer changes.
    json ??= JSON.stringify(app.swagger());
    return reply.type('application/json; charset=utf-8').send(json);
  });
  registerReference(app);
}

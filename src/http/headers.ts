/** Headers that every answer carries: what protects pages and their visitors, and who may read it from another site. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Retry-After, Location, WWW-Authenticate',
};

export async function registerHeaders(app: FastifyInstance): Promise<void> {
  // They are always the same, so they are made once.
  const headers = { ...helmetHeaders(), ...corsHeaders };
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  // In a scope of its own, where it answers OPTIONS alone.
  await app.register(async (scope) => {
    await scope.register(cors, {
      origin: '*',
      methods: ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE'],
      // Any OPTIONS gets this answer, a preflight or not.
      strictPreflight: false,
    });
  });
}

/** Pictures may be shown on other sites; pages set a policy of their own. */
function helmetHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  const middleware = helmet({
    contentSecurityPolicy: false,
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => {});
  return headers;
}

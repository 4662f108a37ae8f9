/** What the log says of an error and its request, and what never reaches it. Requests as such are not logged. */
import type { FastifyServerOptions } from 'fastify';
import type { Config } from '../config.ts';

export function loggerOptions(config: Config): NonNullable<FastifyServerOptions['logger']> {
  return {
    level: config.logLevel,
    serializers: {
      // Path without query: a search may hold a name. No headers: they hold tokens.
      req: (request) => ({ method: request.method, path: request.url?.split('?', 1)[0] }),
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        code: error.code,
        message: error.message,
        stack: error.stack ?? '',
      }),
    },
    ...(!config.production && {
      transport: {
        target: 'pino-pretty',
        options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname' },
      },
    }),
  };
}

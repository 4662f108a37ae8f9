/** What the log says of an error and its request, and what never reaches it. Requests as such are not logged. */
import type { FastifyServerOptions } from 'fastify';
import type { Config } from '../lib/config.ts';

/** Without the query, since a search may hold a name, and without the secret in the address of a calendar. */
export function loggedPath(url = ''): string {
  const [path = ''] = url.split('?', 1);
  // However it is spelled: the router takes %63alendars too.
  return readable(path).replace(/(\/calendars\/).*$/is, '$1…');
}

function readable(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export function loggerOptions(config: Config): NonNullable<FastifyServerOptions['logger']> {
  return {
    level: config.logLevel,
    serializers: {
      // No headers: they hold tokens.
      req: (request) => ({ method: request.method, path: loggedPath(request.url) }),
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

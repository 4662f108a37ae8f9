/** What the log says of an error and its request, and what never reaches it. The access log is access-log.ts. */
import type { FastifyServerOptions } from 'fastify';
import type { Config } from '../lib/config.ts';

/** An id, also with the extension of a picture or a calendar; or a word, in which fewer than five digits are no phone. */
const harmless =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.\w{1,8})?|(?!(?:.*\d){5})[a-z\d][a-z\d._-]{0,31})?$/i;

/**
 * The path without its query string, which may hold a name; without the secret in the address of a calendar; and without
 * any segment that could be a phone number, a code or a token, because a client may send those to a wrong address.
 */
export function loggedPath(url = ''): string {
  const [path = ''] = url.split('?', 1);
  // Decoded, because the router accepts %63alendars too. An absolute address names a host first.
  const plain = readable(path).replace(/^https?:\/\/[^/]*/i, '');
  const masked = plain.replace(/(\/calendars\/).*$/is, '$1…').split('/');
  return masked
    .map((segment) => (harmless.test(segment) ? segment : '…'))
    .join('/')
    .slice(0, 500);
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

/** Options of the logger: the fields of logged requests and errors, without personal data and secrets. */
import type { LoggerOptions } from 'pino';
import { telemetryOptions } from '#telemetry';
import type { Config } from '../config/config.ts';

/**
 * A path segment that may be logged: an id, also with a file extension, or a word with fewer than five
 * digits.
 */
const harmless =
  /^(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.\w{1,8})?|(?!(?:.*\d){5})[a-z\d][a-z\d._-]{0,31})?$/i;

/**
 * Returns the path of a URL for the log: without the query string, which may contain names; without the
 * secret of a calendar and the token of an invitation; and without segments that may be a phone number, a code or a token, which a client
 * may send to a wrong path.
 */
export function loggedPath(url = ''): string {
  const [path = ''] = url.split(/[?#]/, 1);
  // Decoded, because the router accepts %63alendars too.
  const masked = readable(path)
    .replace(/(\/(?:calendars|i)\/).*$/is, '$1…')
    .split('/');
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

/** Readable lines, for development: a release and `npm ci --omit=dev` do not have it, and log JSON. */
const prettyPrinter = 'pino-pretty';

function isInstalled(name: string): boolean {
  try {
    return import.meta.resolve(name) !== '';
  } catch {
    return false;
  }
}

export function loggerOptions(config: Config): LoggerOptions {
  return {
    level: config.logLevel,
    serializers: {
      // No headers, because they contain tokens.
      req: (request) => ({ method: request.method, path: loggedPath(request.url) }),
      err: (error: Error & { code?: string }) => ({
        type: error.name,
        code: error.code,
        message: error.message,
        stack: error.stack ?? '',
      }),
    },
    ...telemetryOptions(),
    // The transport is a thread, which would start for nothing if nothing is logged.
    ...(!config.production &&
      config.logLevel !== 'silent' &&
      isInstalled(prettyPrinter) && {
        transport: {
          target: prettyPrinter,
          options: { translateTime: 'HH:MM:ss', ignore: 'pid,hostname' },
        },
      }),
  };
}

/** Requests of checks. They carry no secret, so they go on where a certificate is wrong, which is a finding of its own. */
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { request as secureRequest } from 'node:https';

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** No more of a body is read. */
const maxBytes = 64 * 1024;
/** In ms. Shorter than the time of a check, which may send several requests. */
const defaultTimeoutMs = 5_000;

type Options = Pick<RequestOptions, 'method'> & {
  headers?: Record<string, string>;
  body?: Buffer | string;
  /** Resolves with the first bytes of the body. */
  onlyStart?: boolean;
  timeoutMs?: number;
};

/** Sends a request and reads the response. Follows no redirect. @throws Error of the connection */
export function ask(url: string, options: Options = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, onlyStart, timeoutMs = defaultTimeoutMs } = options;
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const send = url.startsWith('https:') ? secureRequest : request;
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const sent = send(url, {
    method,
    agent: false,
    rejectUnauthorized: false,
    headers: { ...headers, ...length },
  });
  const late = Object.assign(new Error(`no response within ${timeoutMs / 1_000} s`), { code: 'ETIMEDOUT' });
  const timer = setTimeout(() => sent.destroy(late), timeoutMs);
  sent.on('response', (response) => {
    const { statusCode: status = 0, headers } = response;
    let text = '';
    const end = () => {
      resolve({ status, headers, text });
      sent.destroy();
    };
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (onlyStart || text.length >= maxBytes) end();
    });
    response.on('end', end).on('error', reject);
  });
  sent.on('close', () => clearTimeout(timer)).on('error', reject);
  sent.end(body);
  return promise;
}

export function parseJson(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Whether the server and not a proxy in front of it responded with an error. */
export const isProblem = ({ headers, text }: Answer): boolean =>
  `${headers['content-type']}`.startsWith('application/problem+json') &&
  typeof parseJson(text).requestId === 'string';

/** Words of another server, in a line. */
const line = (text: string) =>
  text
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 80);

/** How to recognize the server that responded in place of Potluck. */
export function describeAnswer({ status, headers, text }: Answer): string {
  const title = line(/<title>([^<]*)/i.exec(text)?.[1] ?? '');
  const server = line(`${headers.server ?? ''}`);
  const parts = [
    `status ${status}`,
    title && `the page "${title}"`,
    server && `the header "Server: ${server}"`,
  ];
  return parts.filter(Boolean).join(', ');
}

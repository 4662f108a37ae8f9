/** One request made by hand, to see the very bytes that the app answers with. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

export type Request = { method: 'GET' | 'POST'; path: string; token?: string; body?: string };
export type Answer = { status: number; headers: [string, string][]; body: string };

/** Node writes these itself. */
const own = /^(date|connection|keep-alive|transfer-encoding)$/i;

export function ask(port: number, { method, path, token, body }: Request): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const { statusCode = 0, rawHeaders } = response;
      const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i): [string, string] => [
        rawHeaders[2 * i] ?? '',
        rawHeaders[2 * i + 1] ?? '',
      ]);
      const kept = pairs.filter(([name]) => !own.test(name));
      text(response).then((answer) => resolve({ status: statusCode, headers: kept, body: answer }), reject);
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

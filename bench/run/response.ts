/** Sends one request and records the response of the app. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { browserCookieName } from '../../src/http/browser-cookie.ts';

export type Request = { method: 'GET' | 'POST' | 'DELETE'; path: string; token?: string; body?: string };
export type RecordedResponse = { status: number; headers: [string, string][]; body: string };

/** Headers that Node adds itself. */
const nodeHeaders = /^(date|connection|keep-alive|transfer-encoding)$/i;

export function send(port: number, { method, path, token, body }: Request): Promise<RecordedResponse> {
  return new Promise((resolve, reject) => {
    const headers = {
      // The token of a browser session is sent as its cookie.
      ...(token &&
        (token.startsWith('pb_')
          ? { cookie: `${browserCookieName({ publicUrl: `http://127.0.0.1:${port}` })}=${token}` }
          : { authorization: `Bearer ${token}` })),
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      const { statusCode = 0, rawHeaders } = response;
      const pairs = Array.from({ length: rawHeaders.length / 2 }, (_, i): [string, string] => [
        rawHeaders[2 * i] ?? '',
        rawHeaders[2 * i + 1] ?? '',
      ]);
      const ownHeaders = pairs.filter(([name]) => !nodeHeaders.test(name));
      text(response).then(
        (content) => resolve({ status: statusCode, headers: ownHeaders, body: content }),
        reject,
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

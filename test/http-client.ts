/** Requests without a client's own headers, and responses as they are on the line: `fetch` adds and decodes encodings. */
import http from 'node:http';
import zlib from 'node:zlib';

export type WireResponse = { status: number; headers: http.IncomingHttpHeaders; bytes: Buffer };

export async function request(
  url: string,
  headers: http.OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<WireResponse> {
  const done = Promise.withResolvers<WireResponse>();
  const sent = http.request(url, { method, headers, agent: false }, async (response) => {
    const parts = await Array.fromAsync(response as AsyncIterable<Buffer>);
    done.resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes: Buffer.concat(parts),
    });
  });
  sent.on('error', done.reject).end();
  return done.promise;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: zlib.zstdDecompressSync,
  identity: (bytes) => bytes,
};

/** The body as text, decoded as the response says. */
export function decoded({ headers, bytes }: WireResponse): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  const decode = decoders[encoding];
  if (!decode) throw new Error(`unknown encoding ${encoding}`);
  return decode(bytes).toString();
}

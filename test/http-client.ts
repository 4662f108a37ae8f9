/** Sends requests without extra headers and returns encoded bodies, unlike `fetch`. */
import http from 'node:http';
import zlib from 'node:zlib';

export type WireResponse = { status: number; headers: http.IncomingHttpHeaders; bytes: Buffer };

export async function request(
  url: string,
  headers: http.OutgoingHttpHeaders = {},
  method = 'GET',
): Promise<WireResponse> {
  const result = Promise.withResolvers<WireResponse>();
  const clientRequest = http.request(url, { method, headers, agent: false }, async (response) => {
    const parts = await Array.fromAsync(response as AsyncIterable<Buffer>);
    result.resolve({
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes: Buffer.concat(parts),
    });
  });
  clientRequest.on('error', result.reject).end();
  return result.promise;
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  br: zlib.brotliDecompressSync,
  gzip: zlib.gunzipSync,
  zstd: zlib.zstdDecompressSync,
  identity: (bytes) => bytes,
};

/** Decodes the body by the Content-Encoding of the response. */
export function decoded({ headers, bytes }: WireResponse): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  const decode = decoders[encoding];
  if (!decode) throw new Error(`unknown encoding ${encoding}`);
  return decode(bytes).toString();
}

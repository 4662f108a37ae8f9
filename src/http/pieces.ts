/**
 * Sends large bodies in pieces, the next one when the connection has taken the one before. So `bytesWritten` and
 * `writableLength` of the connection show how far a slow client has read (limits/admission.ts): of a body that is
 * written at once, both change only with its last byte.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, onSendHookHandler } from 'fastify';

/**
 * In bytes, or in characters of a text. A client that reads less than one piece in the time limit for stalled responses
 * loses its connection. Smaller pieces would slow down the responses to all other clients.
 */
export const pieceLength = 128 * 1024;

export function* piecesOf(body: string | Buffer): Generator<string | Buffer> {
  for (let start = 0; start < body.length; ) {
    const end = endOfPiece(body, start);
    yield typeof body === 'string' ? body.slice(start, end) : body.subarray(start, end);
    start = end;
  }
}

/** A text is not divided within a character of two code units. */
function endOfPiece(body: string | Buffer, start: number): number {
  const end = start + pieceLength;
  if (typeof body !== 'string' || end >= body.length) return end;
  const lastUnit = body.charCodeAt(end - 1);
  return lastUnit >= 0xd800 && lastUnit <= 0xdbff ? end - 1 : end;
}

const sendInPieces: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const isBody = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (!isBody || payload.length <= pieceLength || request.method === 'HEAD') return done(null, payload);
  reply.header('content-length', Buffer.byteLength(payload));
  done(null, Readable.from(piecesOf(payload)));
};

/** Must be registered after all hooks that change bodies. */
export function registerPieces(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), sendInPieces];
  });
}

/**
 * Discards the rest of a request body after a response that was sent before the body had arrived: 401, 404,
 * 413, 415, 429, 503. If the server closed the connection while the client is still sending, TCP would send a
 * reset, which discards the response before the client has read it: the client would see EPIPE or ECONNRESET
 * (RFC 9112, section 9.6). So the server reads the rest of the body, within limits. If the connection is to be
 * closed, the server closes it for writing first, and for reading at the end of the body.
 *
 * Bodies are discarded at a pace (body-pace.ts): a client that sends many large bodies which the server refuses must not
 * delay the requests of others.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { largestNetworkOf, shareOf } from '#base';
import { paceOf } from './body-pace.ts';

/** The maximum number of bytes to read after the response. The largest accepted body has 10 MiB. */
const maxBytes = 16 * 1024 ** 2;
/** The maximum time to read after the response. */
const timeoutMs = 10_000;
/** Connections that may linger at the same time; further ones are closed at once. */
const maxLingering = shareOf(1_000);

const lingering = new WeakSet<Socket>();

/** Whether the rest of a body is being discarded. Its response has been sent; no other may be written. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket);

export function registerLingeringClose(app: FastifyInstance): void {
  let count = 0;

  app.addHook('onRequest', ({ raw, ip }, reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    // Runs before Node's listener, which closes the connection.
    if (length !== '0' || encoding !== undefined)
      reply.raw.prependOnceListener('finish', () => lingerIfSending(reply.raw, ip));
    done();
  });

  function lingerIfSending({ req, socket }: ServerResponse, address: string) {
    if (req.complete || !socket || socket.destroyed) return;
    if (count >= maxLingering) {
      socket.destroySoon();
      return;
    }
    count++;
    const network = largestNetworkOf(address);
    discardBody(req, socket, network, () => {
      count--;
    });
  }
}

function discardBody(req: IncomingMessage, socket: Socket, network: string, onEnd: () => void): void {
  let remainingBytes = maxBytes;
  let isClosing = false;
  const keepPace = paceOf(req, network);
  const discard = (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) socket.destroy();
    keepPace(chunk);
  };
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  const end = () => {
    clearTimeout(timer);
    req.off('data', discard).off('end', end);
    socket.off('close', end);
    lingering.delete(socket);
    // Restores the method of the prototype.
    Reflect.deleteProperty(socket, 'destroySoon');
    if (isClosing) socket.destroySoon();
    onEnd();
  };
  lingering.add(socket);
  // Node calls this after a response with `Connection: close`; it would stop reading. The half-closed
  // connection tells the client that no further response follows.
  socket.destroySoon = () => {
    isClosing = true;
    if (socket.writable) socket.end();
  };
  req.on('data', discard).once('end', end);
  socket.once('close', end);
  // Starts reading now; otherwise Node discards the body itself, without a limit.
  req.read();
}

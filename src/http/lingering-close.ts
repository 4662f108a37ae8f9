/**
 * Reads on after a response that was sent before the body of its request had arrived: 401, 404, 413, 415, 429, 503. If
 * the server closed the connection while the client is still sending, TCP would answer with a reset, which discards the
 * response before the client has read it: the client would see EPIPE or ECONNRESET instead (RFC 9112, section 9.6). So
 * the rest of the body is read and discarded, within limits, and a connection that is to be closed is closed for writing
 * first and for reading at the end of the body.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** In bytes, after the response. The largest body that a route takes has 10 MiB. */
const maxBytes = 16 * 1024 ** 2;
/** In ms, after the response. */
const timeoutMs = 10_000;
/** Connections that may linger at the same time; further ones are closed at once. */
const maxLingering = 1_000;

const lingering = new WeakSet<Socket>();

/** True while the rest of a body is discarded whose response has been sent: nothing more may be written for it. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket);

export function registerLingeringClose(app: FastifyInstance): void {
  let count = 0;

  app.addHook('onRequest', ({ raw }, reply, done) => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    // Before Node's own listener, which closes the connection.
    if (length !== '0' || encoding !== undefined) reply.raw.prependOnceListener('finish', lingerIfSending);
    done();
  });

  function lingerIfSending(this: ServerResponse) {
    const { req, socket } = this;
    if (req.complete || !socket || socket.destroyed) return;
    if (count >= maxLingering) {
      socket.destroySoon();
      return;
    }
    count++;
    linger(req, socket, () => {
      count--;
    });
  }
}

function linger(req: IncomingMessage, socket: Socket, onEnd: () => void): void {
  let left = maxBytes;
  let isClosing = false;
  const discard = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) socket.destroy();
  };
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  const end = () => {
    clearTimeout(timer);
    req.off('data', discard).off('end', end);
    socket.off('close', end);
    lingering.delete(socket);
    // Uncovers the method of the class.
    Reflect.deleteProperty(socket, 'destroySoon');
    if (isClosing) socket.destroySoon();
    onEnd();
  };
  lingering.add(socket);
  // Node calls this after a response with `Connection: close`; it would stop reading. The half-closed connection tells
  // the client that no further response follows.
  socket.destroySoon = () => {
    isClosing = true;
    if (socket.writable) socket.end();
  };
  // Starts to read at once; otherwise Node discards the body itself, without a limit and unseen.
  req.read(0);
  req.on('data', discard).once('end', end);
  socket.once('close', end);
}

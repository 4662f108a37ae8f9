/**
 * Discards the rest of a request body after a response that was sent before the body had arrived, such as a refusal. If the
 * server closed the connection while the client is still sending, TCP would send a reset, which discards the response before
 * the client has read it: the client would see EPIPE or ECONNRESET (RFC 9112, section 9.6). So the server reads the rest of
 * the body, within limits. If the connection is to be closed, the server closes it for writing first, and for reading at the
 * end of the body.
 *
 * Bodies are discarded at a pace (body-pace.ts): a client that sends many large bodies which the server refuses must not
 * delay the requests of others.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { largestNetworkOf, shareOf } from '#base';
import { postponeClose } from '#patches';
import { paceOf } from './body-pace.ts';

/** The maximum number of bytes to read after the response. The largest accepted body has 10 MiB. */
const maxBytes = 16 * 1024 ** 2;
/** The maximum time to read after the response. */
const timeoutMs = 10_000;
/** Connections that may linger at the same time; further ones are closed at once. */
const maxLingering = shareOf(1_000);

const lingering = new Set<Socket>();

/** Whether the rest of a body is being discarded. Its response has been sent; no other may be written. */
export const isLingering = (socket: Socket): boolean => lingering.has(socket);

/**
 * Reads and discards what the client still sends of the request of a response that was written. To be called before Node.js
 * closes the connection, which it does after the response.
 */
export function discardBody({ req: request, socket }: ServerResponse, address: string): void {
  // The response of a request inside the process has no socket.
  if (!socket || socket.destroyed) return;
  if (lingering.size >= maxLingering) {
    socket.destroySoon();
    return;
  }
  let remainingBytes = maxBytes;
  const keepPace = paceOf(request, largestNetworkOf(address));
  const discard = (chunk: Buffer) => {
    remainingBytes -= chunk.length;
    if (remainingBytes < 0) socket.destroy();
    keepPace(chunk);
  };
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
  lingering.add(socket);
  // The half-closed connection tells the client that no further response follows.
  const closeIfAsked = postponeClose(socket);
  const end = () => {
    clearTimeout(timer);
    request.off('data', discard).off('end', end);
    socket.off('close', end);
    lingering.delete(socket);
    closeIfAsked();
  };
  request.on('data', discard).once('end', end);
  socket.once('close', end);
  // Starts reading now; otherwise Node.js discards the body itself, without a limit.
  request.read();
}

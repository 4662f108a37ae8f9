/** Internals of `node:http`. */
import { type Server, ServerResponse } from 'node:http';
import { type Socket, Server as TcpServer } from 'node:net';

/** The response that is being written on a connection, also if the request is malformed; null between requests. */
export function responseOn(socket: Socket): ServerResponse | null {
  const { _httpMessage: response } = socket as Socket & { _httpMessage?: unknown };
  return response instanceof ServerResponse ? response : null;
}

/**
 * Closes a connection for writing when Node.js is about to close it after a response with `Connection: close`, and leaves it
 * open for reading. Node.js calls `destroySoon` of the socket then.
 * @returns a function that ends this, and closes the connection if Node.js was about to
 */
export function postponeClose(socket: Socket): () => void {
  let isClosing = false;
  socket.destroySoon = () => {
    isClosing = true;
    if (socket.writable) socket.end();
  };
  return () => {
    // Restores the method of the prototype.
    Reflect.deleteProperty(socket, 'destroySoon');
    if (isClosing) socket.destroySoon();
  };
}

/** Makes a response close its connection. */
export const closeAfter = (response: ServerResponse): void => {
  response.shouldKeepAlive = false;
};

/** Stops listening, and leaves idle connections open: the method of `http.Server` closes them, too. */
export const stopAccepting = (server: Server): void => void TcpServer.prototype.close.call(server);

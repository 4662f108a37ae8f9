import { connect, type Socket } from 'node:net';
import type { Server } from '../test/support/processes.ts';

/** Opens connections that send nothing, and opens each again when the server closes it. */
export function startFlood({ url }: Server, count: number) {
  const state = { isOver: false };
  const sockets = new Set<Socket>();
  const open = () => {
    if (state.isOver) return;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(open, 100);
    });
    socket.resume();
  };
  for (let i = 0; i < count; i++) open();
  return {
    stop() {
      state.isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Stands between server and database, and mistreats what goes through. */

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

import { setTimeout as sleep } from 'node:timers/promises';

export type Weather = {
  /** Ms that each piece waits, either way. */
  delay?: number;
  /** Takes connections and bytes, and gives nothing. */
  isBlackHole?: boolean;
  /** Hangs up on whoever connects. */
  hangsUp?: boolean;
};
export type DatabaseProxy = {
  port: number;
  /** When each connection came, in ms of `performance.now`. */
  connections: number[];
  set(weather: Weather): void;
  /** Breaks all connections, with RST. */
  reset(): void;
  close(): void;
};

/** @param to the socket of the database */
export async function openProxy(to: string): Promise<DatabaseProxy> {
  let weather: Weather = {};
  const open = new Set<Socket>();
  const connections: number[] = [];
  const pass = (from: Socket, into: Socket) => {
    // As TCP does it: what comes late comes in order, and after a piece that is lost nothing comes any more.
    let isLost = false;
    let queue = Promise.resolve();
    from.on('data', (piece) => {
      isLost ||= weather.isBlackHole === true;
      if (isLost) return;
      const due = performance.now() + (weather.delay ?? 0);
      queue = queue.then(async () => {
        const wait = due - performance.now();
        if (wait > 0) await sleep(wait);
        if (into.writable) into.write(piece);
      });
    });
    from.on('error', () => {});
    from.on('end', () => into.end());
    from.on('close', () => {
      open.delete(from);
      into.destroy();
    });
    open.add(from);
  };
  const server = createServer((client) => {
    connections.push(performance.now());
    if (weather.hangsUp) return void client.on('error', () => {}).end();
    const database = connect(to);
    pass(client, database);
    pass(database, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reset = () => {
    // The other side is a socket of the file system, which knows no RST, and ends with this one.
    for (const socket of open) if (socket.remoteFamily) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    set: (next) => {
      weather = next;
    },
    reset,
    close() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

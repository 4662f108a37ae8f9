/** A TCP proxy between server and database, or another service, that simulates network faults. */
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type NetworkFault = {
  /** Delays each chunk by this time, in both directions. */
  delayMs?: number;
  /** Accepts connections and data, and forwards nothing. */
  isBlackHole?: boolean;
  /** Closes each new connection with a FIN. */
  closesNewConnections?: boolean;
};
export type DatabaseProxy = {
  port: number;
  /** The time of each connection attempt, by `performance.now`. */
  connections: number[];
  setFault(fault: NetworkFault): void;
  /** Resets all connections with an RST. */
  reset(): void;
  close(): void;
};

/** @param address the Unix socket of the database, or the port of another service on this machine */
export async function openProxy(address: string | number): Promise<DatabaseProxy> {
  let fault: NetworkFault = {};
  const openSockets = new Set<Socket>();
  const connections: number[] = [];
  const forward = (from: Socket, to: Socket) => {
    // Like TCP: delayed chunks stay in order, and no chunk follows a lost one.
    let isLost = false;
    let queue = Promise.resolve();
    from.on('data', (chunk) => {
      isLost ||= fault.isBlackHole === true;
      if (isLost) return;
      const due = performance.now() + (fault.delayMs ?? 0);
      queue = queue.then(async () => {
        const wait = due - performance.now();
        if (wait > 0) await sleep(wait);
        if (to.writable) to.write(chunk);
      });
    });
    from.on('error', () => {});
    from.on('end', () => to.end());
    from.on('close', () => {
      openSockets.delete(from);
      to.destroy();
    });
    openSockets.add(from);
  };
  const server = createServer((client) => {
    connections.push(performance.now());
    if (fault.closesNewConnections) return void client.on('error', () => {}).end();
    const database = typeof address === 'number' ? connect(address, '127.0.0.1') : connect(address);
    forward(client, database);
    forward(database, client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reset = () => {
    // Only TCP sockets can send an RST. The Unix socket of the database closes with its TCP socket.
    for (const socket of openSockets) if (socket.remoteFamily) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    setFault: (next) => {
      fault = next;
    },
    reset,
    close() {
      server.close();
      for (const socket of openSockets) socket.destroy();
    },
  };
}

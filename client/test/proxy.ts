/** A TCP proxy that loses responses and cuts connections. */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { after } from 'node:test';

export type Proxy = {
  url: string;
  /**
   * Delivers the next request to the server, and closes its connection instead of returning the response.
   * @param start the begin of the request; default: any
   */
  dropNextResponse(start?: string): void;
  /** Closes all connections. */
  cut(): void;
  /** While false, new connections are closed immediately. */
  isOpen: boolean;
};

/** Starts a proxy for the server at `target`, until the end of the tests. */
export async function startProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  /** The begin of the request whose response is dropped. */
  let dropped: string | null = null;
  const server = net.createServer((client) => {
    if (!proxy.isOpen) return client.destroy();
    const upstream = net.connect(Number(port), hostname);
    let request = '';
    client.on('data', (bytes) => {
      const start = bytes.toString('latin1', 0, 200);
      // A body that arrives after the headers is no request of its own.
      if (/^[A-Z]+ \//.test(start)) request = start;
    });
    for (const socket of [client, upstream]) {
      sockets.add(socket.on('error', () => {}));
      socket.once('close', () => sockets.delete(socket));
    }
    client.once('close', () => upstream.destroy()).pipe(upstream);
    upstream.once('close', () => client.destroy());
    upstream.on('data', (bytes) => {
      if (dropped !== null && request.startsWith(dropped)) {
        dropped = null;
        client.destroy();
      } else client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: Proxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    dropNextResponse: (start = '') => {
      dropped = start;
    },
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    isOpen: true,
  };
  after(() => {
    server.close();
    proxy.cut();
  });
  return proxy;
}

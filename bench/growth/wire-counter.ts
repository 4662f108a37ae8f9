/** Passes connections on and counts what they carry: bytes, and the statements of PostgreSQL's protocol. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';

export type Traffic = { bytesSent: number; bytesReceived: number; statements: number };
export type WireCounter = { port: number; traffic: Traffic; close(): void };

const ignored = /^(begin|commit|rollback)/i;

/** Counts the statements in what a client sends: messages of one byte, the length and a body, after a first one without it. */
function statementCounter(traffic: Traffic): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let isStarted = false;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      const start = isStarted ? 1 : 0;
      if (rest.length < start + 4) return;
      const end = start + rest.readUInt32BE(start);
      if (rest.length < end) return;
      const type = isStarted ? String.fromCharCode(rest[0] ?? 0) : '';
      const isTransaction = type === 'Q' && ignored.test(rest.toString('latin1', 5, 15));
      if ((type === 'E' || type === 'Q') && !isTransaction) traffic.statements++;
      isStarted = true;
      rest = rest.subarray(end);
    }
  };
}

/** @param target where the connections lead @param isPostgres whether statements are counted */
export async function startWireCounter(target: NetConnectOpts, isPostgres: boolean): Promise<WireCounter> {
  const traffic: Traffic = { bytesSent: 0, bytesReceived: 0, statements: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target);
    const count = isPostgres ? statementCounter(traffic) : () => {};
    client.on('data', (chunk: Buffer) => {
      traffic.bytesSent += chunk.length;
      count(chunk);
    });
    upstream.on('data', (chunk: Buffer) => {
      traffic.bytesReceived += chunk.length;
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => to.destroy());
      from.pipe(to);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    traffic,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/**
 * A proxy between the nodes of a cluster with Citus. It recognizes COMMIT PREPARED, the second half of a two-phase commit,
 * and delays it, or closes the connection in its place: then the transaction is acknowledged and committed on the
 * coordinator, and stays invisible on this node until Citus recovers it.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type CommitFault = {
  /** Each commit waits for a random time between these. */
  minDelayMs: number;
  maxDelayMs: number;
  /** The share of commits that wait for `longDelayMs` in its place. */
  longShare: number;
  longDelayMs: number;
  /** The share of commits that get lost. */
  lostShare: number;
};

const delayOf = ({ minDelayMs, maxDelayMs, longShare, longDelayMs }: CommitFault): number =>
  Math.random() < longShare ? longDelayMs : minDelayMs + Math.random() * (maxDelayMs - minDelayMs);

export type CommitProxy = {
  port: number;
  counts: { delayed: number; lost: number };
  setFault(fault: CommitFault | null): void;
  close(): void;
};

export async function openCommitProxy(port: number): Promise<CommitProxy> {
  let fault: CommitFault | null = null;
  const counts = { delayed: 0, lost: 0 };
  const sockets = new Set<Socket>();

  /** Forwards a message, or destroys the connection and returns false. */
  const pass = async (message: Buffer, to: Socket): Promise<boolean> => {
    if (fault && isCommitPrepared(message)) {
      if (Math.random() < fault.lostShare) {
        counts.lost++;
        to.destroy();
        return false;
      }
      counts.delayed++;
      await sleep(delayOf(fault));
    }
    to.write(message);
    return true;
  };

  const server = createServer((client) => {
    const node = connect(port, '127.0.0.1');
    for (const socket of [client, node]) {
      sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of [client, node]) other.destroy();
      });
    }
    node.pipe(client);
    const read = createMessageReader();
    // Messages keep their order: each one waits for the one before it.
    let passing = Promise.resolve(true);
    client.on('data', (chunk: Buffer) => {
      for (const message of read(chunk)) passing = passing.then((goesOn) => goesOn && pass(message, node));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    setFault: (next) => {
      fault = next;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

const queryType = 'Q'.charCodeAt(0);
const statement = 'COMMIT PREPARED';

const isCommitPrepared = (message: Buffer): boolean =>
  message[0] === queryType && message.toString('latin1', 5, 5 + statement.length).toUpperCase() === statement;

/** The codes of requests for encryption; the startup message follows them. */
const encryptionRequests = [80_877_103, 80_877_104];

/** Returns a function that splits what a client of PostgreSQL sends into messages. */
export function createMessageReader(): (chunk: Buffer) => Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  // The startup message has no type.
  let isStarted = false;
  return (chunk) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const messages: Buffer[] = [];
    for (;;) {
      const typeLength = isStarted ? 1 : 0;
      if (rest.length < (isStarted ? 5 : 8)) return messages;
      const length = typeLength + rest.readInt32BE(typeLength);
      if (rest.length < length) return messages;
      if (!isStarted) isStarted = !encryptionRequests.includes(rest.readInt32BE(4));
      messages.push(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  };
}

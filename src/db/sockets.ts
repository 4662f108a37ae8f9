/**
 * The sockets on which the driver talks to PostgreSQL. What it lacks is done here: connections are tried at a bounded
 * rate, one that is hung up on fails instead of being tried again at once for ever, and one that has gone silent ends.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Attempts to connect: so many at once, and so many a second after them; fewer than 20 in any second. */
const burst = 4;
const aSecond = 14;
/** In s. Longer than `statement_timeout`, by which PostgreSQL itself would have answered. */
const silence = 6;
/** The last byte of an answer after which PostgreSQL waits, and is in no transaction. */
const idle = 'I'.charCodeAt(0);

type Watched = { read: number; written: number; quiet: number; last: number };
type Wanted = {
  path?: string | undefined;
  host: string | string[];
  port: number | number[];
  ssl?: unknown;
};
/** What the driver calls for a socket; it must not throw, which would leave a connection of the pool hanging. */
export type Dial = (wanted: Wanted) => Promise<Socket>;

/** For all the connections of one server to its database, which share the rate. */
export function openDial(): Dial {
  const turn = rate();
  const watched = new Map<Socket, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let attempts = 0;

  const watch = (socket: Socket, isPlain: boolean) => {
    const state = { read: 0, written: 0, quiet: 0, last: idle };
    watched.set(socket, state);
    if (isPlain) socket.on('data', (chunk: Buffer) => (state.last = chunk[chunk.length - 1] ?? idle));
    timer ??= setInterval(() => endSilent(watched), 1_000).unref();
    socket.once('close', () => {
      watched.delete(socket);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
  };

  return async ({ path, host, port, ssl }) => {
    await turn();
    const at = attempts++;
    const name = pick(host, at);
    const socket = path ? connect(path) : connect({ host: name, port: pick(port, at) });
    // The name that a certificate is held against.
    Object.assign(socket, { host: name });
    watch(socket, !ssl);
    // The driver takes a hang-up for the end of its own doing, and during the start of a connection tries again at once.
    socket.once('end', () => {
      if (!socket.writableEnded) socket.destroy(lost('ECONNRESET', 'PostgreSQL hung up'));
    });
    return socket;
  };
}

function pick<T>(values: T | T[], at: number): T {
  return Array.isArray(values) ? (values[at % values.length] as T) : values;
}

/** Waits until one more attempt is within the rate. */
function rate(): () => Promise<void> {
  /** When the attempts that were let through would all have been made one by one. */
  let until = 0;
  return async () => {
    const now = performance.now();
    until = Math.max(until, now) + 1_000 / aSecond;
    const wait = until - now - (burst * 1_000) / aSecond;
    if (wait > 0) await sleep(wait, undefined, { ref: false });
  };
}

/** A machine that is gone hangs up on nobody: who waits for it would wait for as long as TCP does, a quarter of an hour. */
function endSilent(watched: Map<Socket, Watched>): void {
  for (const [socket, state] of watched) {
    const isAsked = socket.bytesWritten !== state.written || state.last !== idle;
    if (socket.bytesRead !== state.read || !isAsked) {
      state.read = socket.bytesRead;
      state.written = socket.bytesWritten;
      state.quiet = 0;
    } else if (++state.quiet >= silence) {
      socket.destroy(lost('ETIMEDOUT', 'PostgreSQL does not answer'));
    }
  }
}

const lost = (code: string, message: string) => Object.assign(new Error(message), { code });

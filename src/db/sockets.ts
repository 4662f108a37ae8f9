/**
 * The sockets on which the driver talks to PostgreSQL. What it lacks is done here: connections are tried at a bounded
 * rate, one that is hung up on fails instead of being tried again at once for ever, and one that has gone silent ends.
 */
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Attempts to connect: so many at once, and so many a second after them; fewer than 20 in any second. */
const burst = 8;
const aSecond = 11;
/** In ms. From when a connection is lost until one is made they go one at a time, with this in between. */
const trialEvery = 220;
/** In s. Longer than `statement_timeout`, by which PostgreSQL itself would have answered. */
const silence = 6;
/** The last byte of an answer after which PostgreSQL waits, and is in no transaction. */
export const idle = 'I'.charCodeAt(0);
/** In ms, of a connection: what PostgreSQL gathers for it is given back now and then. */
export const lifetime = 30 * 60_000;
/** The first byte of an answer by which PostgreSQL refuses a connection. */
const refusal = 'E'.charCodeAt(0);

/** Of those that ask for types: while the database is away each attempt is one more. */
const mostAsking = 20;

/** Seconds without an answer while one was due (`quiet`), and without a byte at all (`still`). */
type Watched = { read: number; written: number; quiet: number; still: number; last: number };
type Wanted = {
  path?: string | undefined;
  host: string | string[];
  port: number | number[];
  ssl?: unknown;
} & Types;
/** The options of a client of the driver, which it reads and changes as it goes. */
type Types = {
  fetch_types: boolean;
  parsers: object;
  serializers: object;
  shared: { typeArrayMap: object };
};
/** What the driver calls for a socket; it must not throw, which would leave a connection of the pool hanging. */
export type Dial = (wanted: Wanted) => Promise<Socket>;

/**
 * An open connection ends without an error, whatever ended it. After an error the driver fails what is under way, and
 * then forgets what was sent between the error and the end, whose senders would wait for ever.
 */
class DatabaseSocket extends Socket {
  isOpen = false;

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    super._destroy(this.isOpen ? null : error, callback);
  }
}

/** For all the connections of one server to its database, which share the rate. */
export function openDial(): Dial {
  const turn = rate();
  const watch = watcher();
  let attempts = 0;
  let isFailing = false;
  let lastTrial = 0;
  /** While attempts fail: the one that is under way. The others wait, and share its fate. */
  let trial: Promise<boolean> | undefined;

  const attempt = ({ path, host, port, ssl }: Wanted, settled: (isGood: boolean) => void) => {
    const at = attempts++;
    const name = pick(host, at);
    const socket = new DatabaseSocket();
    const settle = (isGood: boolean) => {
      socket.isOpen ||= isGood;
      settled(isGood);
    };
    if (path) socket.connect(path);
    else socket.connect({ host: name, port: pick(port, at) });
    // The name that a certificate is held against.
    Object.assign(socket, { host: name });
    watch(socket, !ssl);
    // What is encrypted is for the driver alone to read.
    if (ssl) socket.once('connect', () => settle(true));
    else socket.once('data', (chunk: Buffer) => settle(chunk[0] !== refusal));
    socket.once('close', () => settle(false));
    // Of a connection that is only starting the driver would think nothing, and try again at once, for ever.
    socket.once('end', () => {
      if (!socket.isOpen) socket.destroy(lost('ECONNRESET', 'PostgreSQL hung up'));
    });
    return socket;
  };

  const teach = teacher();
  return async (wanted) => {
    teach(wanted);
    while (isFailing && trial) if (!(await trial)) return lostSocket();
    const { promise, resolve } = Promise.withResolvers<boolean>();
    if (isFailing) {
      trial = promise;
      const wait = lastTrial + trialEvery - performance.now();
      if (wait > 0) await sleep(wait, undefined, { ref: false });
      lastTrial = performance.now();
    }
    await turn();
    return attempt(wanted, (isGood) => {
      // One that worked and is lost is the first sign that others will be.
      isFailing = !isGood;
      if (trial === promise) trial = undefined;
      resolve(isGood);
    });
  };
}

/** The driver asks for the types of arrays on each new connection: once is enough, the next ones are told. */
function teacher(): (pupil: Types) => void {
  const clients = new Set<Types>();
  let known: Types | undefined;
  return (pupil) => {
    known ??= [...clients].find(({ shared }) => Object.keys(shared.typeArrayMap).length > 0);
    if (clients.size === mostAsking || known) clients.clear();
    if (!known) return void clients.add(pupil);
    pupil.fetch_types = false;
    Object.assign(pupil.parsers, known.parsers);
    Object.assign(pupil.serializers, known.serializers);
    Object.assign(pupil.shared.typeArrayMap, known.shared.typeArrayMap);
  };
}

/** A socket that is of no use, for a driver that must be given one. */
export function lostSocket(): Socket {
  const socket = new Socket();
  setImmediate(() => socket.destroy(lost('ECONNREFUSED', 'PostgreSQL cannot be reached')));
  return socket;
}

function watcher() {
  const watched = new Map<Socket, Watched>();
  let timer: NodeJS.Timeout | undefined;
  return (socket: Socket, isPlain: boolean) => {
    const state = { read: 0, written: 0, quiet: 0, still: 0, last: idle };
    watched.set(socket, state);
    if (isPlain)
      socket.on('data', (chunk: Buffer) => {
        state.last = chunk[chunk.length - 1] ?? idle;
      });
    timer ??= setInterval(() => endSilent(watched), 1_000).unref();
    socket.once('close', () => {
      watched.delete(socket);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    });
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

/**
 * A machine that is gone hangs up on nobody: who waits for it would wait for as long as TCP does, a quarter of an hour.
 * When one connection is silent, none that said nothing since is trusted: each would be found out by somebody's wait.
 */
function endSilent(watched: Map<Socket, Watched>): void {
  let isGone = false;
  for (const [socket, state] of watched) {
    const isAsked = socket.bytesWritten !== state.written || state.last !== idle;
    const isSilent = socket.bytesRead === state.read;
    state.still = isSilent ? state.still + 1 : 0;
    if (isSilent && isAsked) {
      state.quiet++;
    } else {
      state.read = socket.bytesRead;
      state.written = socket.bytesWritten;
      state.quiet = 0;
    }
    isGone ||= state.quiet >= silence;
  }
  if (!isGone) return;
  for (const [socket, { still }] of watched) {
    if (still >= silence) socket.destroy(lost('ETIMEDOUT', 'PostgreSQL does not answer'));
  }
}

const lost = (code: string, message: string) => Object.assign(new Error(message), { code });

/**
 * Keeps connections usable through outages. `torture -- outage` needs the bound on connection attempts;
 * `torture -- network` needs the detection of connections that have gone silent.
 */
import type { Socket } from 'node:net';
import pg from 'pg';
import { patient } from '#base';
import { type PoolCallback, streamOf } from '#patches';
import { createPrimaryFinder } from './primary.ts';
import { hasPendingStatements, trackLoss } from './run-statement.ts';
import type { Target } from './target.ts';

/** While the last attempt to connect has failed, one attempt is made in this interval. */
const retryIntervalMs = 220;
/** Longer than `statement_timeout`, after which PostgreSQL itself would have responded. */
const silenceLimitSeconds = 6;

export type ConnectionGuard = {
  /** Class of clients that connect to the primary, limit their attempts, and whose sockets are watched. */
  Client: new (
    config?: pg.ClientConfig,
  ) => pg.Client;
  /** Closes all sockets without waiting for PostgreSQL. */
  destroySockets(): void;
};

/** A guard for all connections of one process to the database `target`: the limits are shared by them. */
export function createConnectionGuard(target: Target): ConnectionGuard {
  const connectToPrimary = createPrimaryFinder(target);
  const limitAttempts = createAttemptLimit();
  const { watch, destroySockets } = createSilenceWatch();

  class GuardedClient extends pg.Client {
    readonly #socket: Socket;

    constructor(config?: pg.ClientConfig) {
      super(config);
      this.#socket = streamOf(this) as Socket;
      watch(this.#socket, this);
      trackLoss(this);
    }

    override connect(): Promise<this>;
    override connect(callback: PoolCallback): void;
    override connect(callback?: PoolCallback): Promise<this> | undefined {
      const attempt = limitAttempts(() => connectToPrimary(this, () => super.connect() as Promise<unknown>));
      // No one else has the socket of an attempt that was not made, or that reached a standby.
      attempt.catch(() => this.#socket.destroy());
      if (!callback) return attempt.then(() => this);
      attempt.then(() => callback(null), callback);
      return undefined;
    }
  }

  return { Client: GuardedClient, destroySockets };
}

/**
 * While connecting fails, further attempts fail at once with the same error until the retry interval has
 * passed.
 */
function createAttemptLimit(): (connect: () => Promise<unknown>) => Promise<void> {
  let lastError: unknown;
  let retryAt = 0;
  return async (connect) => {
    const now = performance.now();
    if (lastError !== undefined && now < retryAt) throw lastError;
    retryAt = now + retryIntervalMs;
    try {
      await connect();
      lastError = undefined;
    } catch (error) {
      lastError = error;
      throw error;
    }
  };
}

/**
 * The bytes read until the last check, and for how many checks PostgreSQL has sent nothing, and nothing although it owes
 * a result.
 */
type Traffic = { client: pg.Client; read: number; quietChecks: number; unansweredChecks: number };

/**
 * A host that disappears closes no connection; without this, a request would wait until TCP gives up, which
 * takes a quarter of an hour. When one connection is found dead, all others that have been quiet for as long
 * are closed too: otherwise each of them would be discovered by a request that waits for it.
 */
function createSilenceWatch(): {
  watch(socket: Socket, client: pg.Client): void;
  destroySockets(): void;
} {
  const sockets = new Map<Socket, Traffic>();
  const limit = patient(silenceLimitSeconds);
  let timer: NodeJS.Timeout | undefined;

  const check = () => {
    let isDead = false;
    for (const [socket, traffic] of sockets) {
      const isQuiet = socket.bytesRead === traffic.read;
      traffic.read = socket.bytesRead;
      traffic.quietChecks = isQuiet ? traffic.quietChecks + 1 : 0;
      traffic.unansweredChecks =
        isQuiet && hasPendingStatements(traffic.client) ? traffic.unansweredChecks + 1 : 0;
      isDead ||= traffic.unansweredChecks >= limit;
    }
    if (!isDead) return;
    for (const [socket, { quietChecks }] of sockets) {
      if (quietChecks < limit) continue;
      socket.destroy(Object.assign(new Error('PostgreSQL does not respond'), { code: 'ETIMEDOUT' }));
    }
  };

  return {
    watch(socket, client) {
      // The driver listens for errors only from its attempt to connect on. Without a listener, an error ends the process.
      socket.on('error', () => {});
      sockets.set(socket, { client, read: 0, quietChecks: 0, unansweredChecks: 0 });
      timer ??= setInterval(check, 1_000).unref();
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
    destroySockets() {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

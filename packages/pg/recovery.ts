/** Waits for a PostgreSQL that starts up or recovers from a crash. */
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * PostgreSQL rejects connections while it starts up or recovers: SQLSTATE cannot_connect_now. During a failover, it is a
 * standby until it is promoted.
 */
export const startingUp: readonly string[] = ['57P03', 'STANDBY'];
/** A server that crashes also closes the connections that it has accepted. */
export const crashing: readonly string[] = [...startingUp, 'CONNECTION_LOST', 'ECONNRESET', 'EPIPE'];

const pollMs = 200;

/** The database did not finish in time: for the operator, in a line. */
export class RecoveryError extends Error {}

type RecoveryOptions = {
  /** The error codes after which `work` is run again. */
  codes: readonly string[];
  signal?: AbortSignal | undefined;
  waitMs?: number;
};

/**
 * Runs `work` again until it succeeds or fails for another reason. `work` must be safe to repeat.
 * @throws RecoveryError after `waitMs`; the signal's reason; any other error of `work`
 */
export async function untilRecovered<T>(
  work: () => Promise<T>,
  { codes, signal, waitMs = 60_000 }: RecoveryOptions,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const { code } = error as { code?: string };
      if (!codes.includes(code ?? '')) throw error;
      if (performance.now() >= deadline) {
        const waited = `after ${Math.round(waitMs / 1000)} s it still starts up or recovers, or is a standby`;
        throw new RecoveryError(`${waited}; try again later (${code})`);
      }
    }
    await sleep(pollMs, undefined, { signal });
  }
}

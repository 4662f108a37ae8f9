/**
 * Logs outages of what the server depends on: when one begins, with its error code; a reminder a minute while
 * it lasts; when it ends. Requests report failures. While an outage lasts a probe is run every two seconds,
 * so that its end is logged without waiting for traffic.
 */
import type { FastifyBaseLogger } from 'fastify';
import pg from 'pg';
import { withTimeout } from '#base';
import { isOutage } from '#pg';
import { outages as metric } from './metrics.ts';

/**
 * `database`: it cannot be reached or used. `database writes`: it reads, but its disk is full or it is
 * read-only. `image storage`: directory or bucket. `clock`: the clock of this machine is not the database's.
 * `overload`: more requests are open than the server accepts.
 */
export const outageNames = ['database', 'database writes', 'image storage', 'clock', 'overload'] as const;
type OutageName = (typeof outageNames)[number];
/** Resolves if the dependency works; rejects with the reason otherwise. */
type Probe = () => Promise<unknown>;

type Outage = {
  name: OutageName;
  since: number;
  lastFailure: number;
  remindedAt: number;
  failures: number;
  code: string;
};

/** An outage has ended when its probe succeeds and no request has failed for `quietMs`. */
const timings = { probeEveryMs: 2_000, probeTimeoutMs: 2_000, quietMs: 4_000, remindEveryMs: 60_000 };

/** SQLSTATEs of a full disk, and of a read-only database, such as a standby after a failover. */
const writeRefusalCodes = /^(53100|25006)$/;

/** The outage that a database error indicates; null for other errors. */
export function databaseOutage(error: unknown): OutageName | null {
  if (error instanceof pg.DatabaseError && writeRefusalCodes.test(error.code ?? '')) return 'database writes';
  return isOutage(error) ? 'database' : null;
}

/** The code of an error, or the name of its class. */
export const codeOf = (error: unknown): string => {
  const { code, name } = error as Partial<NodeJS.ErrnoException>;
  return code ?? name ?? 'unknown';
};

export class OutageLog {
  readonly #log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  readonly #probes = new Map<OutageName, Probe>();
  readonly #outages = new Map<OutageName, Outage>();
  #timer: NodeJS.Timeout | undefined;
  #isProbing = false;
  #suspectedAt = Number.NEGATIVE_INFINITY;

  constructor(log: Pick<FastifyBaseLogger, 'error' | 'warn'>) {
    this.#log = log;
    for (const kind of outageNames) metric.set({ kind }, 0);
  }

  /** Adds the probe of an outage; must be called before `report`. */
  addProbe(name: OutageName, probe: Probe): void {
    this.#probes.set(name, probe);
  }

  /** Reports that a request failed because of an outage. */
  report(name: OutageName, error: unknown): void {
    const now = performance.now();
    const outage = this.#outages.get(name);
    if (outage) {
      outage.failures++;
      outage.lastFailure = now;
      outage.code = codeOf(error);
      return;
    }
    const code = codeOf(error);
    this.#outages.set(name, { name, since: now, lastFailure: now, remindedAt: now, failures: 1, code });
    metric.set({ kind: name }, 1);
    this.#log.error({ outage: name, code, err: error }, `outage of ${name} began`);
    this.#timer ??= setInterval(() => void this.#checkAll(), timings.probeEveryMs).unref();
  }

  /** Runs the probe of an outage, and reports the outage if it fails. */
  async check(name: OutageName): Promise<void> {
    try {
      await this.#probes.get(name)?.();
    } catch (error) {
      this.report(name, error);
    }
  }

  /** The outages that have begun and not ended. */
  get current(): OutageName[] {
    return outageNames.filter((name) => this.#outages.has(name));
  }

  /** Runs the database probe after a request timed out without an error, to find out whether it is an outage. */
  suspectDatabase(): void {
    const now = performance.now();
    if (this.#outages.has('database') || now - this.#suspectedAt < timings.probeEveryMs) return;
    this.#suspectedAt = now;
    void this.#runProbe('database').then((error) => {
      if (error) this.report('database', error);
    });
  }

  close(): void {
    clearInterval(this.#timer);
    for (const kind of this.#outages.keys()) metric.set({ kind }, 0);
    this.#outages.clear();
  }

  async #checkAll(): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    await Promise.all([...this.#outages.values()].map((outage) => this.#check(outage)));
    this.#isProbing = false;
    if (this.#outages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(outage: Outage): Promise<void> {
    const { name, since, failures } = outage;
    const error = await this.#runProbe(name);
    const now = performance.now();
    const fields = { outage: name, seconds: Math.round((now - since) / 1_000), failures };
    if (error) outage.code = codeOf(error);
    else if (now - outage.lastFailure >= timings.quietMs) {
      if (!this.#outages.delete(name)) return;
      metric.set({ kind: name }, 0);
      this.#log.warn(fields, `outage of ${name} ended`);
      return;
    }
    if (now - outage.remindedAt < timings.remindEveryMs) return;
    outage.remindedAt = now;
    this.#log.error({ ...fields, code: outage.code }, `outage of ${name} continues`);
  }

  /** @returns the error of the probe, or null if it succeeded */
  async #runProbe(name: OutageName): Promise<unknown> {
    const late = () => Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
    try {
      await withTimeout(Promise.resolve(this.#probes.get(name)?.()), timings.probeTimeoutMs, late);
      return null;
    } catch (error) {
      return error;
    }
  }
}

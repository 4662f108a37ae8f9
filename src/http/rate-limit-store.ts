/**
 * Counts the requests of each caller in this minute over all servers. Each server counts in memory, and adds
 * its counts to the database only for callers with many requests. A server accepts at most a twentieth of the
 * limit from a caller without reporting it: at half of that it starts to report, and at a twentieth requests
 * wait for the report.
 *
 * One server therefore applies the limit exactly, and n servers accept at most n twentieths more. Callers
 * below a fortieth of the limit cause no database traffic. While the database is not available, each server
 * counts on its own.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import { sql } from '../db/sql.ts';
import { keyedHash } from '../lib/keyed-hash.ts';

export const windowMs = 60_000;
/** The time limit for a report. After a timeout, no request waits for reports for `retryAfterMs`. */
const reportTimeoutMs = 500;
const retryAfterMs = 1_000;
/** The number of callers in memory above which counts are evicted. */
const maxCallers = 50_000;

/**
 * `total`: of all servers, from the last report; `unreported`: since then; `reporting`: in the running
 * report.
 */
type Count = { total: number; unreported: number; reporting: number };
type Options = { db: Database; secretKey: string; clock: () => Date; limit: number };

export class RateLimitStore {
  readonly #options: Options;
  /** The number of requests of a caller that this server accepts without reporting them. */
  readonly #maxUnreported: number;
  #minute = 0;
  #counts = new Map<string, Count>();
  #unreported = new Set<string>();
  #report: Promise<void> | null = null;
  #unavailableUntil = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#maxUnreported = Math.max(1, Math.floor(options.limit / 20));
  }

  /**
   * Counts a request, unless it exceeds the limit. Waits at most `reportTimeoutMs` for a report.
   * @returns `current`: the number of requests in this minute, or the limit plus one if this request exceeds
   *   the limit; `ttl`: ms until the next minute
   */
  async count(caller: string): Promise<{ current: number; ttl: number }> {
    for (;;) {
      const now = this.#options.clock().getTime();
      const ttl = windowMs - (now % windowMs);
      const count = this.#countOf(caller, now - (now % windowMs));
      const current = count.total + count.reporting + count.unreported + 1;
      if (current > this.#options.limit) return { current: this.#options.limit + 1, ttl };
      if (count.unreported + count.reporting < this.#maxUnreported || this.#isUnavailable()) {
        count.unreported++;
        this.#unreported.add(caller);
        if (this.#isDue(count) && !this.#isUnavailable()) void this.#startReport();
        return { current, ttl };
      }
      // Without the caller among the unreported ones, no report would include it, and this loop would not
      // end.
      if (count.unreported > 0) this.#unreported.add(caller);
      await this.#startReport();
    }
  }

  #isUnavailable(): boolean {
    return performance.now() < this.#unavailableUntil;
  }

  #countOf(caller: string, minute: number): Count {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
      this.#unreported = new Set();
    }
    const known = this.#counts.get(caller);
    if (known) return known;
    if (this.#counts.size >= maxCallers) this.#evict();
    const count = { total: 0, unreported: 0, reporting: 0 };
    this.#counts.set(caller, count);
    return count;
  }

  /**
   * Evicts the callers that are neither reported nor due for a report, and, if the others are too many, these
   * as well; the database has their totals. The callers that remain are still reported.
   */
  #evict(): void {
    const kept = [...this.#counts].filter(
      ([, count]) => count.total + count.reporting > 0 || this.#isDue(count),
    );
    this.#counts = new Map(kept.length < maxCallers / 2 ? kept : []);
    this.#unreported = new Set([...this.#unreported].filter((caller) => this.#counts.has(caller)));
  }

  #isDue = (count: Count): boolean => count.unreported >= this.#maxUnreported / 2;

  /** Returns the running report, or starts one. One report runs at a time, for all callers that are due. */
  #startReport(): Promise<void> {
    this.#report ??= this.#runReport().finally(() => {
      this.#report = null;
    });
    return this.#report;
  }

  async #runReport(): Promise<void> {
    const minute = new Date(this.#minute);
    const due = [...this.#unreported].flatMap((caller) => {
      const count = this.#counts.get(caller);
      return count && this.#isDue(count) ? [{ caller, count }] : [];
    });
    if (due.length === 0) return;
    for (const { caller, count } of due) {
      this.#unreported.delete(caller);
      count.reporting = count.unreported;
      count.unreported = 0;
    }
    const timeout = new AbortController();
    const totals = await Promise.race([
      this.#addCounts(minute, due).catch(() => null),
      sleep(reportTimeoutMs, null, { signal: timeout.signal, ref: false }).catch(() => null),
    ]);
    timeout.abort();
    if (!totals) this.#unavailableUntil = performance.now() + retryAfterMs;
    for (const { caller, count } of due) {
      count.total = totals?.get(caller) ?? count.total + count.reporting;
      count.reporting = 0;
    }
  }

  /** Adds counts to the database. Returns the totals of all servers by caller. */
  async #addCounts(minute: Date, due: { caller: string; count: Count }[]): Promise<Map<string, number>> {
    const { db, secretKey } = this.#options;
    const callers = new Map(due.map(({ caller }) => [hashOf(secretKey, caller), caller]));
    // Sorted by key, so that two servers cannot deadlock.
    const rows = await db.query<{ caller: string; requests: number }>(sql`
      insert into request_counts (caller, minute, requests)
      select caller, ${minute}, n
      from unnest(${[...callers.keys()]}::text[], ${due.map(({ count }) => count.reporting)}::int[]) k (caller, n)
      order by caller
      on conflict (caller, minute) do update set requests = request_counts.requests + excluded.requests
      returning caller, requests`);
    return new Map(rows.map(({ caller, requests }) => [callers.get(caller) ?? '', requests]));
  }
}

const hashOf = (key: string, caller: string) => keyedHash(key, 'requests', caller).toString('base64url');

/** Deletes the counts of past minutes, except the last one: the clocks of other servers may be behind. */
export async function deleteExpiredCounts(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from request_counts where minute < ${new Date(now.getTime() - 2 * windowMs)}`);
}

/**
 * Counts the requests of each caller in this minute over all servers. Each server counts in memory, and reports
 * its counts to a database that all servers share only for callers with many requests. A server accepts at most a twentieth of the
 * limit from a caller without reporting it: at half of that it starts to report, and at a twentieth requests
 * wait for the report.
 *
 * One server therefore applies the limit exactly, and n servers accept at most n twentieths more. Callers
 * below a fortieth of the limit cause no database traffic. While the database is not available, each server
 * counts on its own.
 *
 * The minutes are those of the database: a report counts in the minute in which the database stores it, and
 * returns the time of the database. So the clocks of the servers need not agree. Where they do not, the first report of a
 * server begins another minute, which forgets at most a twentieth of the limit, once.
 */
import { shareOf, singleFlight, withTimeout } from '#base';

export const windowMs = 60_000;
/** The time limit for a report. After a timeout, no request waits for reports for `retryAfterMs`. */
const reportTimeoutMs = 500;
const retryAfterMs = 1_000;
/** The number of callers in memory above which counts are evicted. */
const maxCallers = 50_000;

/**
 * `total`: of all servers, from the last report; `unreported`: since then; `reporting`: in the running
 * report. `times`: of the limit.
 */
type Count = { total: number; unreported: number; reporting: number; times: number };
type Options = {
  /** Adds counts to the current minute of the database. */
  report: (due: Due) => Promise<Totals>;
  /** The clock of this server, whose minutes count until the first report. */
  clock: () => Date;
  /** A monotonic clock in ms; default: `performance.now`. */
  uptime?: () => number;
  limit: number;
};
export type Due = { caller: string; requests: number }[];
/** The counts of all servers in `minute`, and the time of the database. */
export type Totals = { now: Date; minute: Date; byCaller: Map<string, number> };

export class SharedCounts {
  readonly #options: Options;
  readonly #uptime: () => number;
  /** The part of the limit that belongs to this process. */
  readonly #share: number;
  /** The ms from the start of the monotonic clock to the epoch of the database; null before the first report. */
  #offset: number | null = null;
  #minute = 0;
  #counts = new Map<string, Count>();
  #unreported = new Set<string>();
  #unavailableUntil = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#uptime = options.uptime ?? (() => performance.now());
    this.#share = shareOf(options.limit);
  }

  /**
   * Counts a request, unless it exceeds the limit. Waits at most `reportTimeoutMs` for a report.
   * @param times how many times the limit the caller has
   * @returns `remaining`: how many further requests the limit allows in this minute, or -1 if this request exceeds it; `ttl`: ms
   *   until the next minute
   */
  async count(caller: string, times = 1): Promise<{ remaining: number; ttl: number }> {
    for (;;) {
      const ttl = this.#enterMinute();
      const count = this.#countOf(caller, times);
      const current = count.total + count.reporting + count.unreported + 1;
      const remaining = this.#options.limit * times - current;
      if (remaining < 0) return { remaining: -1, ttl };
      if (count.unreported + count.reporting < this.#maxUnreportedOf(count) || this.#isUnavailable()) {
        count.unreported++;
        this.#unreported.add(caller);
        if (this.#isDue(count) && !this.#isUnavailable()) void this.#startReport();
        return { remaining, ttl };
      }
      // Without the caller among the unreported ones, no report would include it, and this loop would not
      // end.
      if (count.unreported > 0) this.#unreported.add(caller);
      await this.#startReport();
    }
  }

  #isUnavailable(): boolean {
    return this.#uptime() < this.#unavailableUntil;
  }

  /** The time of the database. Between two reports it follows the monotonic clock, which no adjustment of the time moves. */
  get #now(): number {
    if (this.#offset === null) return this.#options.clock().getTime();
    return Math.floor(this.#uptime() + this.#offset);
  }

  /** Forgets all counts if another minute has begun. Returns the ms until the next minute. */
  #enterMinute(): number {
    const now = this.#now;
    const sinceMinute = now % windowMs;
    if (now - sinceMinute !== this.#minute) {
      this.#minute = now - sinceMinute;
      this.#counts = new Map();
      this.#unreported = new Set();
    }
    return windowMs - sinceMinute;
  }

  #countOf(caller: string, times: number): Count {
    if (this.#counts.size >= maxCallers && !this.#counts.has(caller)) this.#evict();
    const none = { total: 0, unreported: 0, reporting: 0, times };
    return this.#counts.getOrInsertComputed(caller, () => none);
  }

  /** The number of requests of a caller that this server accepts without reporting them. */
  #maxUnreportedOf = ({ times }: Count): number => Math.max(1, Math.floor((this.#share * times) / 20));

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

  #isDue = (count: Count): boolean => count.unreported >= this.#maxUnreportedOf(count) / 2;

  /** Returns the running report, or starts one. One report runs at a time, for all callers that are due. */
  readonly #startReport = singleFlight(() => this.#runReport());

  async #runReport(): Promise<void> {
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
    const sentAt = this.#uptime();
    const report = this.#options.report(
      due.map(({ caller, count }) => ({ caller, requests: count.reporting })),
    );
    const totals = await withTimeout(report, reportTimeoutMs).catch(() => null);
    if (!totals) this.#unavailableUntil = this.#uptime() + retryAfterMs;
    for (const { count } of due) {
      count.total += count.reporting;
      count.reporting = 0;
    }
    if (totals) this.#takeTotals(totals, due, sentAt);
  }

  /** Sets the clock, and takes the totals, unless their minute has ended. */
  #takeTotals(
    { now, minute, byCaller }: Totals,
    due: { caller: string; count: Count }[],
    sentAt: number,
  ): void {
    // The database read its clock at some moment since then.
    this.#offset = now.getTime() - (sentAt + this.#uptime()) / 2;
    this.#enterMinute();
    if (minute.getTime() !== this.#minute) return;
    for (const { caller, count } of due)
      this.#countOf(caller, count.times).total = byCaller.get(caller) ?? count.total;
  }
}

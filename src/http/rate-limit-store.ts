/**
 * How many requests each caller made in this minute, over all servers: counted here, and told to the others through the
 * database only by whoever asks often. A server lets a caller make a twentieth of the limit that it has told nobody of,
 * and no more: at half of that it begins to tell, and whoever is faster waits for it.
 *
 * So one server keeps the limit to the request, and n of them let through at most n twentieths above it. Who stays below
 * a fortieth of the limit costs the database nothing. While the database is away, each server counts for itself.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/client.ts';
import { sql } from '../db/sql.ts';
import { keyedHash } from '../lib/keyed-hash.ts';

/** In ms. */
export const windowMs = 60_000;
/** In ms: nobody waits longer for a count, and after that long without an answer nobody waits at all for a while. */
const patience = 500;
const awayMs = 1_000;
/** Callers that are remembered before those are forgotten of whom the database knows everything. */
const maxCallers = 50_000;

/** `settled`: of all servers, as the database last said; `open`: not yet told; `telling`: on its way. */
type Count = { settled: number; open: number; telling: number };
type Options = { db: Database; secretKey: string; clock: () => Date; limit: number };

export class RateLimitStore {
  readonly #options: Options;
  /** Requests of a caller that the others need not know of. */
  readonly #share: number;
  #minute = 0;
  #counts = new Map<string, Count>();
  #untold = new Set<string>();
  #telling: Promise<void> | null = null;
  #awayUntil = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#share = Math.max(1, Math.floor(options.limit / 20));
  }

  /**
   * Counts a request, unless it is one too many.
   * @returns how many those are in this minute, one above the limit for one too many; and ms until the next minute
   */
  async count(caller: string): Promise<{ current: number; ttl: number }> {
    for (;;) {
      const now = this.#options.clock().getTime();
      const ttl = windowMs - (now % windowMs);
      const count = this.#countOf(caller, now - (now % windowMs));
      const current = count.settled + count.telling + count.open + 1;
      if (current > this.#options.limit) return { current: this.#options.limit + 1, ttl };
      if (count.open + count.telling < this.#share || this.#isAway()) {
        count.open++;
        this.#untold.add(caller);
        if (count.open >= this.#share / 2 && !this.#isAway()) void this.#tell();
        return { current, ttl };
      }
      await this.#tell();
    }
  }

  #isAway(): boolean {
    return performance.now() < this.#awayUntil;
  }

  #countOf(caller: string, minute: number): Count {
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
      this.#untold = new Set();
    }
    const known = this.#counts.get(caller);
    if (known) return known;
    if (this.#counts.size >= maxCallers) this.#forget();
    const count = { settled: 0, open: 0, telling: 0 };
    this.#counts.set(caller, count);
    return count;
  }

  /** What the database knows can be asked of it again; of the others, who are many and seldom, some count is lost. */
  #forget(): void {
    const busy = [...this.#counts].filter(([, { settled, telling }]) => settled + telling > 0);
    this.#counts = new Map(busy.length < maxCallers / 2 ? busy : []);
    this.#untold = new Set();
  }

  /** One statement at a time, for all who have something to tell of when it begins. */
  #tell(): Promise<void> {
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = null;
    });
    return this.#telling;
  }

  async #tellAll(): Promise<void> {
    const minute = new Date(this.#minute);
    const told = [...this.#untold].flatMap((caller) => {
      const count = this.#counts.get(caller);
      return count && count.open >= this.#share / 2 ? [{ caller, count }] : [];
    });
    for (const { caller, count } of told) {
      this.#untold.delete(caller);
      count.telling = count.open;
      count.open = 0;
    }
    const late = new AbortController();
    const rows = await Promise.race([
      this.#settle(minute, told).catch(() => null),
      sleep(patience, null, { signal: late.signal, ref: false }).catch(() => null),
    ]);
    late.abort();
    if (!rows) this.#awayUntil = performance.now() + awayMs;
    for (const { caller, count } of told) {
      count.settled = rows?.get(caller) ?? count.settled + count.telling;
      count.telling = 0;
    }
  }

  async #settle(minute: Date, told: { caller: string; count: Count }[]): Promise<Map<string, number>> {
    const { db, secretKey } = this.#options;
    const names = new Map(told.map(({ caller }) => [hashOf(secretKey, caller), caller]));
    // Sorted, so that two servers never wait for each other.
    const rows = await db.query<{ caller: string; requests: number }>(sql`
      insert into request_counts (caller, minute, requests)
      select caller, ${minute}, n
      from unnest(${[...names.keys()]}::text[], ${told.map(({ count }) => count.telling)}::int[]) k (caller, n)
      order by caller
      on conflict (caller, minute) do update set requests = request_counts.requests + excluded.requests
      returning caller, requests`);
    return new Map(rows.map(({ caller, requests }) => [names.get(caller) ?? '', requests]));
  }
}

const hashOf = (key: string, caller: string) => keyedHash(key, 'requests', caller).toString('base64url');

/** Minutes that are over. An earlier one is kept for servers whose clocks are behind. */
export async function deleteExpiredCounts(db: Database, now: Date): Promise<void> {
  await db.query(sql`delete from request_counts where minute < ${new Date(now.getTime() - 2 * windowMs)}`);
}

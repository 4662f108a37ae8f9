/**
 * What keeps memory exact: every write that changes what servers keep (the records of events, the names of people, the
 * lists) says so in its own transaction, and every request looks at what was said since, before it uses anything kept.
 *
 * A server's memory is thus never older than the request. The look is one statement for all requests that wait.
 */

import { hash } from 'node:crypto';
import { createLoader } from '../db/batching.ts';
import type { Database } from '../db/client.ts';
import type { Queryable } from '../db/query.ts';
import { sql } from '../db/sql.ts';
import type { Transaction } from '../db/transaction.ts';
import { dayMs } from '../lib/time.ts';

/** Where and when a listed event is. */
export type ListingKey = { cell: number; startAt: Date; endAt: Date };

/** Days are counted in UTC from 1970-01-01. */
export const dayOf = (at: Date | number): number => Math.floor(Number(at) / dayMs);
const shards = 16;

/** How changes name a record: they outlive it, and must tell nothing of it. */
export const nameOf = (id: string): string => hash('sha256', id, 'base64url').slice(0, 16);

/** `records`: ids of events and people. `spots`: of events in lists, before and after. */
export type Change = { records: string[]; spots?: ListingKey[] };

/**
 * Says what changed. The last thing that a transaction does, since it holds others who write to the same shard until
 * it commits. The shard's row gives out versions in the order of commits and without gaps, so whoever has seen version
 * n has seen all before it.
 */
export function changeStatement({ records, spots = [] }: Change) {
  const shard = Math.floor(Math.random() * shards);
  return sql`
    with raised as (
      update change_shards set version = version + 1 where shard = ${shard} returning shard, version
    )
    insert into changes (shard, version, records, cells, first_days, last_days, at)
    select shard, version, ${records.map(nameOf)}::text[], ${spots.map(({ cell }) => cell)}::int[],
      ${spots.map(({ startAt }) => dayOf(startAt))}::int[], ${spots.map(({ endAt }) => dayOf(endAt))}::int[], now()
    from raised`;
}

/** Records a change as the last statement of a transaction. */
export async function recordChange(tx: Transaction, change: Change): Promise<void> {
  await tx.execute(changeStatement(change));
}

/** A server that looks less often than this starts anew; it looks with every request. */
export async function deleteExpiredChanges(db: Queryable): Promise<void> {
  await db.query(sql`delete from changes where at < now() - interval '5 minutes'`);
}

type ChangeRow = {
  shard: number;
  latest: string;
  version: string | null;
  records: string[];
  cells: number[];
  firstDays: number[];
  lastDays: number[];
};

/** Changes in a shard that are worth reading; who is further behind starts anew. */
const maxRead = 1_000;

/**
 * The limit is there for the planner: of a table that is emptied and filled all day it knows no sizes, and would else
 * read the whole of it for one change.
 */
async function listChanges(db: Database, known: bigint[]): Promise<ChangeRow[]> {
  const versions = known.map(String);
  return await db.query<ChangeRow>(sql`
    select s.shard, s.version as latest, c.version, c.records, c.cells, c.first_days, c.last_days
    from (select shard, version, (${versions}::bigint[])[shard + 1] as known from change_shards) s
    left join lateral (
      select * from changes c where c.shard = s.shard and c.version > s.known and c.version <= s.version
      order by c.version limit ${maxRead}
    ) c on s.version - s.known <= ${maxRead}
    where s.version <> s.known
    order by s.shard, c.version`);
}

/** Told the names of records as they are seen to have changed; null is all of them. */
export type Watcher = (records: string[] | null) => void;

/** Longer events make all days suspect. */
const longestSpan = 366;

/** Moments are counted in changes seen: what was read at moment n is good as long as nothing of it changed after n. */
export class ChangeLog {
  #moment = 1;
  /** Nothing read before this is good. */
  #reset = 1;
  #versions: bigint[] = Array.from({ length: shards }, () => -1n);
  readonly #cells = new Map<number, number>();
  readonly #starts = new Map<number, number>();
  readonly #spans = new Map<number, number>();
  #allSpans = 0;
  readonly #look: (key: null) => Promise<void>;
  readonly #watchers: Watcher[] = [];

  constructor(db: Database) {
    this.#look = createLoader(
      async () => {
        this.#apply(await listChanges(db, this.#versions));
        return [undefined];
      },
      { keyOf: () => '' },
    );
  }

  /** Learns of all that was acknowledged before the call. */
  catchUp(): Promise<void> {
    return this.#look(null);
  }

  watch(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  /** To be taken before a statement is sent, and kept with what it reads. */
  get moment(): number {
    return this.#moment;
  }

  /** When events of this cell last changed. */
  ofCell = (cell: number): number => Math.max(this.#reset, this.#cells.get(cell) ?? 0);

  /** When events that begin on this day last changed. */
  ofDay = (day: number): number => Math.max(this.#reset, this.#starts.get(day) ?? 0);

  /** When events that had begun before this day and went on into it last changed. */
  intoDay = (day: number): number => Math.max(this.#reset, this.#allSpans, this.#spans.get(day) ?? 0);

  /** The days on which events begin that changed after a moment; null when that may be any. */
  daysSince(moment: number): number[] | null {
    if (moment < this.#reset) return null;
    return [...this.#starts].filter(([, at]) => at > moment).map(([day]) => day);
  }

  #apply(rows: ChangeRow[]): void {
    if (rows.length === 0) return;
    this.#moment++;
    for (const row of rows) {
      const known = this.#versions[row.shard] ?? -1n;
      const version = row.version === null ? null : BigInt(row.version);
      // Another look may have been quicker. Else, whatever is not the very next is a gap.
      if (version !== null && version <= known) continue;
      if (version === known + 1n) this.#note(row);
      else if (BigInt(row.latest) !== known) this.#forgetAll();
      this.#versions[row.shard] = version ?? BigInt(row.latest);
    }
  }

  #forgetAll(): void {
    this.#reset = this.#moment;
    this.#cells.clear();
    this.#starts.clear();
    this.#spans.clear();
    for (const watcher of this.#watchers) watcher(null);
  }

  #note({ records, cells, firstDays, lastDays }: ChangeRow): void {
    for (const watcher of this.#watchers) watcher(records);
    for (const cell of cells) this.#cells.set(cell, this.#moment);
    for (const [index, first] of firstDays.entries()) {
      const last = lastDays[index] ?? first;
      this.#starts.set(first, this.#moment);
      if (last - first > longestSpan) this.#allSpans = this.#moment;
      else for (let day = first + 1; day <= last; day++) this.#spans.set(day, this.#moment);
    }
  }
}

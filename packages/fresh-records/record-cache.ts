/**
 * Caches records by id in memory, and removes those that the change log names. The memory is bounded in bytes: the
 * records that were used least recently are removed first. A record is neither cached nor returned if the database shows
 * an older version than the change log has named: it is read again, for a bounded time.
 */
import { LRUCache } from 'lru-cache';
import { Unavailable } from '#base';
import { createLoader, type Queryable } from '#pg';
import type { ChangeLog } from './change-log.ts';
import { readAgain } from './read-again.ts';
import { isCurrent, type RecordKind } from './recent-versions.ts';
import { changeKeyOf } from './record-change.ts';
import type { Replicas } from './replicas.ts';

/** `replicas`: reads the records. */
export type Source = { changeLog: ChangeLog; replicas: Pick<Replicas, 'readRecords'> };
type Options<T> = {
  kind: RecordKind;
  maxBytes: number;
  /** An upper bound for the memory of a record, in bytes. */
  sizeOf: (record: T) => number;
  read: (db: Queryable, ids: string[]) => Promise<T[]>;
  idOf: (record: T) => string;
  /** The version of the record in the change log. */
  versionOf: (record: T) => number;
};

type Cached<T> = { record: T; changeKey: string };

/** The two maps, the id and the change key of a record. */
const bytesOfEntry = 400;

/** The result of a read that returned an older version of a record than the change log has named. */
const TOO_EARLY = Symbol('too early');

/** The database shows only older versions of a record than the change log has named. */
export class LateRecord extends Unavailable {}

/** What a list shows of a record: null also if it is late, because one record must not prevent the list. */
export const unlessLate = <T>(found: T | Promise<T | null>): T | Promise<T | null> =>
  found instanceof Promise
    ? found.catch((error: unknown) => {
        if (error instanceof LateRecord) return null;
        throw error;
      })
    : found;

/** The number of late records for which no request waits again. */
const maxLate = 1_000;

/** The change keys that the log named during a read; null means any. */
type PendingRead = { changed: Set<string> | null };

/**
 * @returns a function that finds a record, at least as new as the last read of the change log; null for an unknown id. It
 *   rejects with LateRecord if the database shows only older versions of the record for about a second
 */
export function createRecordCache<T>(
  { changeLog, replicas }: Source,
  { kind, maxBytes, sizeOf, read, idOf, versionOf }: Options<T>,
): (id: string) => T | Promise<T | null> {
  /** Ids of the cached records, by their change keys. */
  const ids = new Map<string, string>();
  const cached = new LRUCache<string, Cached<T>>({
    maxSize: Math.floor(maxBytes),
    sizeCalculation: ({ record }) => Math.ceil(sizeOf(record)) + bytesOfEntry,
    dispose: ({ changeKey }) => ids.delete(changeKey),
  });
  const pendingReads = new Set<PendingRead>();
  /** Ids for which a request has waited in vain. No other request waits for one of them until it has been read. */
  const late = new LRUCache<string, true>({ max: maxLate });

  changeLog.watch((change) => {
    const changeKeys = change?.changeKeys;
    if (!changeKeys) cached.clear();
    for (const changeKey of changeKeys ?? []) cached.delete(ids.get(changeKey) ?? '');
    for (const pending of pendingReads) {
      if (!changeKeys) pending.changed = null;
      for (const changeKey of changeKeys ?? []) pending.changed?.add(changeKey);
    }
  });

  const load = createLoader(
    async (missing: string[]) => {
      const changeKeys = missing.map(changeKeyOf);
      // Changes that the log names during the read are none that its requests must see.
      const required = changeKeys.map((changeKey) => changeLog.versionOf(kind, changeKey));
      const pending: PendingRead = { changed: new Set() };
      pendingReads.add(pending);
      try {
        const found = await replicas.readRecords({ ids: missing, required, read, idOf, versionOf });
        return missing.map((id, i) => {
          const record = found.get(id) ?? null;
          if (!isCurrent(required[i], record && versionOf(record))) return TOO_EARLY;
          const changeKey = changeKeys[i] as string;
          if (record && pending.changed?.has(changeKey) === false) {
            cached.set(id, { record, changeKey });
            if (cached.has(id)) ids.set(changeKey, id);
          }
          return record;
        });
      } finally {
        pendingReads.delete(pending);
      }
    },
    // A page has up to 50 records; one batch holds several pages.
    { keyOf: (id) => id, maxBatchSize: 500 },
  );

  const loadCurrent = async (id: string): Promise<T | null> => {
    const isTooEarly = (result: T | null | typeof TOO_EARLY) => result === TOO_EARLY;
    const first = await load(id);
    const isWaiting = isTooEarly(first) && !late.has(id);
    const record = isWaiting ? await readAgain(changeLog, () => load(id), isTooEarly) : first;
    if (record === TOO_EARLY) {
      late.set(id, true);
      throw new LateRecord();
    }
    late.delete(id);
    return record;
  };

  return (id) => cached.get(id)?.record ?? loadCurrent(id);
}

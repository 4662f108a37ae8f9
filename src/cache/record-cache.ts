/**
 * Caches records by id in memory, and removes those that the change log names. The memory is bounded in bytes: the
 * records that were used least recently are removed first.
 */
import { LRUCache } from 'lru-cache';
import { createLoader } from '../db/batching.ts';
import { type ChangeLog, changeKeyOf } from './change-log.ts';

type Options<T> = {
  maxBytes: number;
  /** An upper bound for the memory of a record, in bytes. */
  sizeOf: (record: T) => number;
  read: (ids: string[]) => Promise<T[]>;
  idOf: (record: T) => string;
};

type Cached<T> = { record: T; changeKey: string };

/** The two maps, the id and the change key of a record. */
const bytesOfEntry = 400;

/** The change keys that the log named during a read; null means any. */
type PendingRead = { changed: Set<string> | null };

/**
 * @returns a function that finds a record, at least as new as the last read of the change log; null for an unknown id
 */
export function createRecordCache<T>(
  changeLog: ChangeLog,
  { maxBytes, sizeOf, read, idOf }: Options<T>,
): (id: string) => T | Promise<T | null> {
  /** Ids of the cached records, by their change keys. */
  const ids = new Map<string, string>();
  const cached = new LRUCache<string, Cached<T>>({
    maxSize: Math.floor(maxBytes),
    sizeCalculation: ({ record }) => Math.ceil(sizeOf(record)) + bytesOfEntry,
    dispose: ({ changeKey }) => ids.delete(changeKey),
  });
  const pendingReads = new Set<PendingRead>();

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
      const pending: PendingRead = { changed: new Set() };
      pendingReads.add(pending);
      try {
        const found = new Map((await read(missing)).map((record) => [idOf(record), record]));
        for (const [id, record] of found) {
          const changeKey = changeKeyOf(id);
          if (pending.changed?.has(changeKey) !== false) continue;
          cached.set(id, { record, changeKey });
          if (cached.has(id)) ids.set(changeKey, id);
        }
        return missing.map((id) => found.get(id) ?? null);
      } finally {
        pendingReads.delete(pending);
      }
    },
    // A page has up to 50 records; one batch holds several pages.
    { keyOf: (id) => id, maxBatchSize: 500 },
  );

  return (id) => cached.get(id)?.record ?? load(id);
}

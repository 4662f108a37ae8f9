/** Caches records by id in memory, and removes those that the change log names. */

import { createLoader } from '../db/batching.ts';
import { type ChangeLog, changeKeyOf } from './change-log.ts';

type Options<T> = {
  /** Above this size, the record that was cached first is removed. */
  maxRecords: number;
  read: (ids: string[]) => Promise<T[]>;
  idOf: (record: T) => string;
};

/** The change keys that the log named during a read; null means any. */
type PendingRead = { changed: Set<string> | null };

/**
 * @returns a function that finds a record, at least as new as the last read of the change log; null for an unknown id
 */
export function createRecordCache<T>(
  changeLog: ChangeLog,
  { maxRecords, read, idOf }: Options<T>,
): (id: string) => T | Promise<T | null> {
  const cached = new Map<string, T>();
  /** Ids of the cached records, by their change keys. */
  const ids = new Map<string, string>();
  const pendingReads = new Set<PendingRead>();

  const remove = (id: string) => {
    cached.delete(id);
    ids.delete(changeKeyOf(id));
  };
  const add = (id: string, changeKey: string, record: T) => {
    cached.set(id, record);
    ids.set(changeKey, id);
    if (cached.size > maxRecords) remove(cached.keys().next().value ?? id);
  };

  changeLog.watch((change) => {
    const changeKeys = change?.changeKeys;
    if (!changeKeys) {
      cached.clear();
      ids.clear();
    }
    for (const changeKey of changeKeys ?? []) remove(ids.get(changeKey) ?? '');
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
          if (pending.changed?.has(changeKey) === false) add(id, changeKey, record);
        }
        return missing.map((id) => found.get(id) ?? null);
      } finally {
        pendingReads.delete(pending);
      }
    },
    // A page has up to 50 records; one batch holds several pages.
    { keyOf: (id) => id, maxBatchSize: 500 },
  );

  return (id) => cached.get(id) ?? load(id);
}

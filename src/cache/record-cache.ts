/** Records kept in memory by id, and forgotten as the record of changes names them. */

import { createLoader } from '../db/batching.ts';
import { type ChangeLog, nameOf } from './change-log.ts';

type Options<T> = {
  /** Records kept at most; the one that has been here longest makes room. */
  maxRecords: number;
  read: (ids: string[]) => Promise<T[]>;
  idOf: (record: T) => string;
};

/** The names of what changed while a read was under way; null is anything. */
type Reading = { changed: Set<string> | null };

/**
 * @returns gives a record at least as new as the last look at `changes`; null when there is none
 */
export function createRecordCache<T>(
  changes: ChangeLog,
  { maxRecords, read, idOf }: Options<T>,
): (id: string) => T | Promise<T | null> {
  const kept = new Map<string, T>();
  /** By the names that changes give to records. */
  const ids = new Map<string, string>();
  const readings = new Set<Reading>();

  const forget = (id: string) => {
    kept.delete(id);
    ids.delete(nameOf(id));
  };
  const add = (id: string, name: string, record: T) => {
    kept.set(id, record);
    ids.set(name, id);
    if (kept.size > maxRecords) forget(kept.keys().next().value ?? id);
  };

  changes.watch((names) => {
    if (!names) {
      kept.clear();
      ids.clear();
    }
    for (const name of names ?? []) forget(ids.get(name) ?? '');
    for (const reading of readings) {
      if (!names) reading.changed = null;
      for (const name of names ?? []) reading.changed?.add(name);
    }
  });

  const load = createLoader(
    async (eventQuery: string[]) => {
      const reading: Reading = { changed: new Set() };
      readings.add(reading);
      try {
        const found = new Map((await read(eventQuery)).map((record) => [idOf(record), record]));
        for (const [id, record] of found) {
          const name = nameOf(id);
          if (reading.changed?.has(name) === false) add(id, name, record);
        }
        return eventQuery.map((id) => found.get(id) ?? null);
      } finally {
        readings.delete(reading);
      }
    },
    // A page has up to 50 records, so there is room for several.
    { keyOf: (id) => id, maxBatchSize: 500 },
  );

  return (id) => kept.get(id) ?? load(id);
}

/** Caches events with their serialized fragments; the change log keeps them current. */
import { createRecordCache, type Source } from '#fresh-records';
import { recordKinds } from '../../schema/record-kinds.ts';
import type { PersonRow } from '../people/present.ts';
import type { EventRow } from './present.ts';
import { listEventRows } from './repo.ts';

/**
 * An event with its serialized fragments, which event-serializer.ts fills on first use.
 * `record`: the open JSON object of the `Event` record, for this organizer, and its hash.
 * `listed`: the open JSON object of the event in lists.
 */
export type CachedEvent = {
  row: EventRow;
  record: { organizer: PersonRow | null; json: string; hash: string } | null;
  listed: Buffer | null;
};

export type EventCache = {
  /** Finds an event, at least as new as the last read of the change log; null for an unknown id. */
  find(id: string): CachedEvent | Promise<CachedEvent | null>;
};

/** The share of the memory for caches that events may take. */
const cacheShare = 0.1;
/** An event with its fragments, without its texts. */
const bytesOfEvent = 3_000;

/** The texts are in the row, in the record and, as bytes, in the list. */
function sizeOf({ row }: CachedEvent): number {
  const texts = Object.values(row)
    .filter((value) => typeof value === 'string')
    .join('');
  const bytes = Buffer.byteLength(texts);
  // A string of V8 has one byte for each character only if all characters are in Latin-1.
  const bytesOfString = bytes === texts.length ? bytes : 2 * texts.length;
  return bytesOfEvent + 2 * bytesOfString + bytes;
}

export function createEventCache(source: Source, cacheBytes: number): EventCache {
  const find = createRecordCache<CachedEvent>(source, {
    kind: recordKinds.event,
    maxBytes: cacheBytes * cacheShare,
    sizeOf,
    read: async (db, ids) => (await listEventRows(db, ids)).map(toCachedEvent),
    idOf: ({ row }) => row.id,
    versionOf: ({ row }) => row.version,
  });
  return { find };
}

export const toCachedEvent = (row: EventRow): CachedEvent => ({ row, record: null, listed: null });

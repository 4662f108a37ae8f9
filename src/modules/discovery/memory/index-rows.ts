/** The rows that the discovery index is built from, and the statements that read them. */
import type { ListingKey } from '#fresh-records';
import { type Queryable, readInBatches, type Statement, sql } from '#pg';
import { listedCondition } from '../../events/policy.ts';
import { traitBits } from '../traits.ts';
import { inAddress, inDescription, inTitle } from './segment.ts';

/** A listed event. `start` and `end` in ms; `firstDay` and `endDay`: those of an all-day event, in days since 1970-01-01; `search`: the text form of its tsvector. */
export type IndexRow = {
  id: string;
  start: number;
  end: number;
  lat: number;
  lng: number;
  category: string;
  /** The bits of its traits (traits.ts). */
  traits: number;
  organizerId: string;
  /** Null for an event without a series. */
  seriesId: string | null;
  firstDay: number | null;
  endDay: number | null;
  search: string;
};

const columns = sql`
  e.id, (extract(epoch from e.start_at) * 1000)::float8 as start,
  (extract(epoch from e.end_at) * 1000)::float8 as "end",
  e.lat, e.lng, e.category, ${traitBits} as traits, e.organizer_id, e.series_id, e.first_day, e.end_day, e.search::text as search`;

/** @param endingAfter null: all listed events */
const isIndexed = (endingAfter: Date | null): Statement =>
  endingAfter ? sql`${listedCondition()} and e.end_at > ${endingAfter}` : listedCondition();

/** An amount of events, and of the memory of their words as they are stored. */
export type Amount = { events: number; bytes: number };

/** Whether there are at least so many listed events, or at least so many bytes of words. */
export async function hasAmount(db: Queryable, { events, bytes }: Amount): Promise<boolean> {
  // To count millions takes longer than a statement of a server may. The stored size is known without reading the words.
  const [row] = await db.query<Amount>(sql`
    select count(*)::int as events, coalesce(sum(bytes), 0)::float8 as bytes from (
      select pg_column_size(e.search) as bytes from events e where ${listedCondition()} limit ${events}::bigint
    ) e`);
  return row !== undefined && (row.events >= events || row.bytes >= bytes);
}

/** The number of listed events that end after a time. */
export async function countRows(db: Queryable, endingAfter: Date | null): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    sql`select count(*)::int as n from events e where ${isIndexed(endingAfter)}`,
  );
  return row?.n ?? 0;
}

/**
 * Reads the rows of the listed events that end after a time in batches, in the order of start and id, in the transaction
 * of `connection`.
 */
export const readRows = (connection: Queryable, endingAfter: Date | null): AsyncGenerator<IndexRow[]> =>
  readInBatches<IndexRow>(
    connection,
    sql`select ${columns} from events e where ${isIndexed(endingAfter)} order by e.start_at, e.id`,
    ({ search }) => search.length,
  );

/** `version`: that of the row in `events`. */
export type ChangedRow = IndexRow & { version: number };

/**
 * Lists the listed events with some change keys that begin in some cells and on some days. The index events_by_cell
 * finds them, and the hash of the id selects the changed ones.
 */
export async function listChangedRows(
  db: Queryable,
  keys: ListingKey[],
  changeKeys: string[],
): Promise<ChangedRow[]> {
  return await db.query<ChangedRow>(sql`
    select distinct on (e.id) ${columns}, e.version::float8 as version
    from unnest(${keys.map(({ cell }) => cell)}::int[], ${keys.map(({ day }) => day)}::int[]) k (cell, day)
    join events e on e.cell = k.cell
      and e.start_at >= to_timestamp(k.day * 86400::float8) and e.start_at < to_timestamp((k.day + 1) * 86400::float8)
    where ${listedCondition()}
      and left(translate(encode(sha256(convert_to(e.id::text, 'UTF8')), 'base64'), '+/', '-_'), 16)
        = any(${changeKeys}::text[])`);
}

const [quote, space, codeA, codeB] = ["'", ' ', 'A', 'B'].map((text) => text.charCodeAt(0));

/**
 * Calls `visit` for each word of a tsvector in its text form, such as `'jazz':1A,6C 'oslo':3B`: with the part of the text
 * that has the word, and the fields that contain it. Words have no characters that the text form escapes
 * (search-words.ts). Weight C has no other source than the description, and PostgreSQL omits no weight but D.
 */
export function forEachWord(
  search: string,
  visit: (begin: number, end: number, fields: number) => void,
): void {
  for (let i = 0; i < search.length; ) {
    if (search.charCodeAt(i) !== quote) {
      i++;
      continue;
    }
    const begin = i + 1;
    const end = search.indexOf("'", begin);
    let fields = 0;
    for (i = end + 1; i < search.length; i++) {
      const code = search.charCodeAt(i);
      if (code === space) break;
      if (code > 0x40) fields |= code === codeA ? inTitle : code === codeB ? inAddress : inDescription;
    }
    visit(begin, end, fields);
  }
}

/** Reads the whole database: every column of every table, including the tables of later migrations. */
import { raw } from '#pg';
import type { SqlDatabase } from './sql-tag.ts';

type Row = Record<string, unknown>;
/** The rows of each table by the table's name, sorted by their JSON text. */
export type Snapshot = Record<string, Row[]>;

async function listTables(sql: SqlDatabase): Promise<string[]> {
  const tables = await sql<{ table: string }[]>`
    select table_name as table from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      -- The rows of a partition are those of its table.
      and not (select relispartition from pg_class p where p.oid = quote_ident(table_name)::regclass)
    order by 1`;
  return tables.map(({ table }) => table);
}

export async function takeSnapshot(sql: SqlDatabase): Promise<Snapshot> {
  const rows = (await listTables(sql)).map(async (table) => {
    const found = await sql<
      { row: Row }[]
    >`select to_jsonb(t) as row from ${raw(table)} t order by to_jsonb(t)::text`;
    return [table, found.map(({ row }) => row)] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

/**
 * Searches all columns for the texts and for their UTF-8 bytes in hexadecimal, but for the ids of deleted events that
 * tombstones keep. Returns `table.column: needle`.
 */
export async function findRowsContaining(sql: SqlDatabase, texts: string[]): Promise<string[]> {
  const needles = texts.flatMap((text) => {
    const hex = Buffer.from(text).toString('hex');
    // UUIDs in `bytea` columns have 16 bytes, without hyphens in hexadecimal.
    return /^[0-9a-f-]{36}$/.test(text) ? [text, text.replaceAll('-', ''), hex] : [text.toLowerCase(), hex];
  });
  const found = (await listTables(sql)).map(async (table) => {
    // Only rows that have a needle anywhere are taken apart.
    const hits = await sql<{ column: string; needle: string }[]>`
      select distinct key as column, needle
      from (select to_jsonb(t) as row from ${raw(table)} t) r, unnest(${needles}::text[]) needle, jsonb_each_text(row)
      where position(needle in lower(row::text)) > 0 and position(needle in lower(value)) > 0
      order by 1`;
    return hits
      .filter(({ column }) => table !== 'event_tombstones' || column !== 'event_id')
      .map(({ column, needle }) => `${table}.${column}: ${needle}`);
  });
  return (await Promise.all(found)).flat();
}

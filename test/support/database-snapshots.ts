/** Reads the whole database: every column of every table, including the tables of later migrations. */
import { raw } from '#pg';
import type { SqlDatabase } from './sql-tag.ts';

type Row = Record<string, unknown>;
/** The rows of each table by the table's name, sorted by their JSON text. */
export type Snapshot = Record<string, Row[]>;

async function listColumns(sql: SqlDatabase): Promise<{ table: string; column: string }[]> {
  return await sql<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
      -- The rows of a partition are those of its table.
      and not (select relispartition from pg_class p where p.oid = quote_ident(c.table_name)::regclass)
    order by 1, 2`;
}

export async function takeSnapshot(sql: SqlDatabase): Promise<Snapshot> {
  const tables = [...new Set((await listColumns(sql)).map(({ table }) => table))];
  const rows = tables.map(async (table) => {
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
  const matches: string[] = [];
  for (const { table, column } of await listColumns(sql)) {
    if (table === 'event_tombstones' && column === 'event_id') continue;
    const hits = await sql<{ needle: string }[]>`
      select distinct needle from ${raw(table)}, unnest(${needles}::text[]) needle
      where position(needle in lower(${raw(column)}::text)) > 0`;
    matches.push(...hits.map(({ needle }) => `${table}.${column}: ${needle}`));
  }
  return matches;
}

/** The whole database, as tests look through it: every column of every table, whatever a later migration adds. */
import { raw } from '../src/db/sql.ts';
import type { SqlDatabase } from './sql-tag.ts';

type Row = Record<string, unknown>;
/** Table → its rows, in an order of their own. */
export type Snapshot = Record<string, Row[]>;

async function listColumns(sql: SqlDatabase): Promise<{ table: string; column: string }[]> {
  return await sql<{ table: string; column: string }[]>`
    select c.table_name as table, c.column_name as column from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'
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

/** Where any of these texts is still to be found: as text, or as its bytes in a column of bytes. */
export async function findRowsContaining(sql: SqlDatabase, texts: string[]): Promise<string[]> {
  const needles = texts.flatMap((text) => {
    const hex = Buffer.from(text).toString('hex');
    // An id is also sixteen bytes.
    return /^[0-9a-f-]{36}$/.test(text) ? [text, text.replaceAll('-', ''), hex] : [text.toLowerCase(), hex];
  });
  const found: string[] = [];
  for (const { table, column } of await listColumns(sql)) {
    const hits = await sql<{ needle: string }[]>`
      select distinct needle from ${raw(table)}, unnest(${needles}::text[]) needle
      where position(needle in lower(${raw(column)}::text)) > 0`;
    found.push(...hits.map(({ needle }) => `${table}.${column}: ${needle}`));
  }
  return found;
}

/** Bytes for each row, by building tables of several sizes. */
import type { SqlConnection } from '../../test/support/sql-tag.ts';
import { functions, type Subject } from './tables.ts';

/** `table` includes TOAST and the maps of the table; both are bytes for each unit. */
export type Bytes = { rows: number; table: number; index: number };

/** Builds the tables of a subject with `count` units, measures them, and empties them again. */
export async function measureBytes(sql: SqlConnection, subject: Subject, count: number): Promise<Bytes> {
  const tables = subject.tables.join(', ');
  await sql.text(`truncate ${tables} cascade`);
  await sql.text(functions);
  await subject.fill(sql, count);
  for (const table of subject.tables) await sql.text(`vacuum analyze ${table}`);
  const [row] = await sql.text<{ units: string; bytes: string; indexes: string }>(`
    with parts as (
      select coalesce(p.relid, t.oid) as oid from unnest(array[${subject.tables.map((name) => `'${name}'`).join(', ')}]::regclass[]) t (oid)
      left join lateral pg_partition_tree(t.oid) p on p.isleaf
    )
    select (select count(*) from ${subject.tables[0]}) as units,
      sum(pg_table_size(oid)) as bytes, sum(pg_indexes_size(oid)) as indexes from parts`);
  const { units = '0', bytes = '0', indexes = '0' } = row ?? {};
  const rows = Number(units);
  const { rowsPerUnit = 1 } = subject;
  return {
    rows: rows / rowsPerUnit,
    table: (Number(bytes) * rowsPerUnit) / rows,
    index: (Number(indexes) * rowsPerUnit) / rows,
  };
}

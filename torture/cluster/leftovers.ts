/** Searches every table of the database for rows of deleted people. */
import type { SqlDatabase } from '../../test/support/sql-tag.ts';
import type { Deleted } from './late-writers.ts';

/** Returns `table: row` for each row that names one of the people, or one of their events. */
export async function findLeftovers(sql: SqlDatabase, deleted: Deleted[]): Promise<string[]> {
  const ids = new Set(deleted.flatMap(({ id, events }) => [id, ...events]));
  const names = new Set(deleted.flatMap(({ phone, username }) => [phone, username]));
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;
  const found: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql.text<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`)) {
      const uuids = row.match(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
      const strings = row.match(/"[^"]*"/g) ?? [];
      const isLeft =
        uuids.some((uuid) => ids.has(uuid)) || strings.some((text) => names.has(text.slice(1, -1)));
      if (isLeft) found.push(`${name}: ${row.slice(0, 200)}`);
    }
  }
  return found;
}

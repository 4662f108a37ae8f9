/** Hashes of all tables show whether refused requests changed a row. */
import { setTimeout as sleep } from 'node:timers/promises';
import { raw } from '#pg';
import type { Environment } from '../environment.ts';

/**
 * Waits until the jobs of the servers have delivered all notifications: a delivery between two hashes would look like a
 * change that a request made.
 */
export async function waitForNotifications({ sql }: Environment): Promise<void> {
  for (let waited = 0; waited < 20_000; waited += 200) {
    const rows = await sql`
      select 1 from notification_causes union all select 1 from notification_fan_outs limit 1`;
    if (rows.length === 0) return;
    await sleep(200);
  }
  throw new Error('notifications were not delivered within 20 s');
}

/**
 * A hash of the rows of each table, except the change log and the tombstones of deleted accounts, which jobs of the
 * servers change at any time.
 */
export async function hashTables({ sql }: Environment): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'change%'
      and tablename <> 'deleted_accounts'
      and not (select relispartition from pg_class c where c.oid = quote_ident(tablename)::regclass)`;
  const sums: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql<[{ sum: string }]>`
      select coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as sum from ${raw(name)} t`;
    sums[name] = row.sum;
  }
  return sums;
}

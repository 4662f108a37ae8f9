/** Whether there is an admin, and the accounts of the demonstration. The process that starts others loads no more than this. */
import { type Queryable, sql } from '#pg';
import { demoNumbers } from '../../lib/demo-phones.ts';

/** Whether there is an admin. That of the demo, who cannot sign in where messages are sent, does not count. */
export async function hasAdmin(db: Queryable): Promise<boolean> {
  const rows = await db.query(sql`
    select 1 from users where role = 'admin' and (phone is null or phone <> all(${demoNumbers}::text[])) limit 1`);
  return rows.length > 0;
}

/** Finds the accounts of the demo. */
export async function listDemoAccounts(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ userId: string }>(
    sql`select user_id from contacts where contact = any(${demoNumbers}::text[]) order by contact`,
  );
  return rows.map(({ userId }) => userId);
}

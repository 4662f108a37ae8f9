/** The PostgreSQL servers of a database on this machine. */
import { allowStandby } from '#base';
import { readPostmaster } from '../../test/support/processes.ts';
import { openSql } from '../../test/support/sql-tag.ts';

/** @returns the process of the PostgreSQL server at a URL, which must be on this machine */
export async function postmasterAt(url: string): Promise<number> {
  const sql = await openSql(allowStandby(url), 'bench');
  try {
    const [row] = await sql<[{ directory: string }]>`select current_setting('data_directory') as directory`;
    return await readPostmaster(row.directory);
  } finally {
    await sql.end();
  }
}

/** @returns the URLs of all nodes of a Citus cluster, the coordinator first; the URL itself of another database */
export async function nodesOf(url: string): Promise<string[]> {
  const sql = await openSql(url, 'bench');
  try {
    const [extension] = await sql`select 1 from pg_extension where extname = 'citus'`;
    if (!extension) return [url];
    const nodes = await sql<{ name: string; port: number }[]>`
      select nodename as name, nodeport as port from pg_dist_node where groupid > 0 order by nodeid`;
    const urls = nodes.map(({ name, port }) =>
      Object.assign(new URL(url), { hostname: name, port: `${port}` }),
    );
    return [url, ...urls.map(String)];
  } finally {
    await sql.end();
  }
}

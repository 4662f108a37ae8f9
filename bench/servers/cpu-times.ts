/** The CPU time of server processes and of PostgreSQL servers on this machine, from /proc (proc(5)). */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { openSql } from '../../test/sql-tag.ts';

/** Clock ticks of /proc; Linux shows 100 a second to programs on every architecture. */
const msOfTick = 10;

type Stat = { parent: number; own: number; endedChildren: number };

async function readStat(pid: number | string): Promise<Stat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name of the process is in brackets and may contain spaces.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [1, 11, 12, 13, 14].map(
    (i) => fields[i],
  );
  return { parent, own: user + system, endedChildren: endedUser + endedSystem };
}

/** @returns the CPU time in ms of a process with its children, also of those that have ended */
export async function cpuMsOf(pid: number): Promise<number> {
  const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(numbers.map(readStat));
  const process = await readStat(pid);
  const children = stats.filter((stat) => stat?.parent === pid);
  const ticks = children.reduce((sum, child) => sum + (child?.own ?? 0), 0);
  return ((process?.own ?? 0) + (process?.endedChildren ?? 0) + ticks) * msOfTick;
}

/** @returns the process of the PostgreSQL server at a URL, which must be on this machine */
export async function postmasterAt(url: string): Promise<number> {
  const sql = await openSql(url, 'bench');
  try {
    const [row] = await sql<[{ directory: string }]>`select current_setting('data_directory') as directory`;
    const text = await readFile(path.join(row.directory, 'postmaster.pid'), 'utf8');
    return Number(text.split('\n', 1)[0]);
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

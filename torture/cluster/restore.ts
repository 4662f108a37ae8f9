/** Backup and recovery of all nodes to one restore point, as docs/operating.md describes them. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openSql } from '../../test/support/sql-tag.ts';
import type { CitusCluster } from './citus.ts';
import { createDataDir, identity, type Node, startNode } from './node.ts';

const run = promisify(execFile);

/** Each node archives its write-ahead log in its own data directory. */
export const archiving = {
  wal_level: 'replica',
  archive_mode: 'on',
  archive_command: 'mkdir -p archive && cp %p archive/%f',
};

/** Copies the data directories of all nodes while they run, each at its own time. @returns the copies */
export async function backUpNodes({ nodes, binaries, directory }: CitusCluster): Promise<string[]> {
  return await Promise.all(
    nodes.map(async ({ port }, i) => {
      const copy = await createDataDir(directory, `backup-${i}`);
      const from = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
      const how = ['-D', copy, '-X', 'none', '--checkpoint=fast', '--no-sync'];
      await run(path.join(binaries, 'pg_basebackup'), [...from, ...how], { cwd: '/', ...identity });
      return copy;
    }),
  );
}

/** Waits until the archive of each node has everything up to now. */
export async function archiveAll({ nodes }: CitusCluster): Promise<void> {
  for (const node of nodes) {
    const sql = await openSql(node.url('postgres'));
    const [row] = await sql<{ file: string }[]>`select pg_walfile_name(pg_switch_wal()) as file`;
    for (;;) {
      const [archiver] = await sql<{ last: string | null }[]>`
        select last_archived_wal as last from pg_stat_archiver`;
      if ((archiver?.last ?? '') >= (row?.file ?? '')) break;
      await sleep(100);
    }
    await sql.end();
  }
}

/**
 * Recovers the copies to the restore point and starts them at the addresses of the nodes, which must be stopped: their
 * addresses are in the catalogue of Citus. The coordinator, the first node, comes last.
 */
export async function recoverNodes(
  { nodes, binaries }: CitusCluster,
  copies: string[],
  restorePoint: string,
): Promise<Node[]> {
  const recovered: Node[] = [];
  for (const [i, { port, dataDir }] of [...nodes.entries()].reverse()) {
    const copy = copies[i] ?? '';
    await writeFile(path.join(copy, 'recovery.signal'), '', { mode: 0o644 });
    const settings = {
      fsync: 'off',
      restore_command: `cp ${dataDir}/archive/%f %p`,
      recovery_target_name: restorePoint,
      recovery_target_action: 'promote',
    };
    const node = await startNode({ binaries, settings }, copy, port);
    recovered.unshift(node);
    const sql = await openSql(`${node.url('postgres')}?target_session_attrs=any`);
    while ((await sql`select pg_is_in_recovery() as is_standby`)[0]?.isStandby) await sleep(100);
    await sql.end();
  }
  return recovered;
}

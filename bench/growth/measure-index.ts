/** Memory of the discovery index, by building it from tables of several sizes. */
import type { Target } from '#pg';
import { readSegment, snapshotMode } from '../../src/modules/discovery/memory/load-segment.ts';
import { Segment } from '../../src/modules/discovery/memory/segment.ts';
import { openSql } from '../../test/support/sql-tag.ts';
import { subjects } from './tables.ts';

/** `bytes`: of the index, as in the metric `potluck_discovery_index_bytes`. `peak`: of the process while it is built. */
export async function measureIndex(target: Target, events: number): Promise<{ bytes: number; peak: number }> {
  const sql = await openSql(target, 'growth');
  try {
    await sql`set session_replication_role = replica`;
    await sql`set synchronous_commit = off`;
    await sql`truncate events cascade`;
    await subjects.find(({ name }) => name === 'events')?.fill(sql, events);
    await sql`vacuum analyze events`;
    const before = process.memoryUsage.rss();
    let peak = 0;
    const timer = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss() - before)), 20);
    const loaded = await sql.begin((tx) => readSegment(tx, Number.POSITIVE_INFINITY), snapshotMode);
    clearInterval(timer);
    if (!('data' in loaded)) throw new Error('the index has no limit');
    return { bytes: new Segment(loaded.data).bytes, peak };
  } finally {
    await sql.end();
  }
}

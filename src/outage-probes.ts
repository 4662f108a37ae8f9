/** Probes for the outage log: the smallest work that fails while an outage lasts. */
import { randomUUID } from 'node:crypto';
import type { Sql } from './db/connect.ts';
import { transaction } from './db/transaction.ts';
import { databaseOutage, type OutageLog } from './outage-log.ts';
import type { Storage } from './uploads/storage.ts';

/** In bytes: about as much as a large image. */
const imageSize = 1024 ** 2;

export function addProbes(outages: OutageLog, sql: Sql, storage: Storage): void {
  outages.addProbe('database', () => sql`select 1`);
  outages.addProbe('database writes', () =>
    writeTemporarily(sql).catch((error) => {
      // A role that may not create temporary tables says nothing of the disk; then the absence of failures decides.
      if (databaseOutage(error)) throw error;
    }),
  );
  const name = `probe-${randomUUID()}`;
  outages.addProbe('image storage', async () => {
    try {
      await storage.write(name, Buffer.alloc(imageSize));
    } finally {
      await storage.remove(name);
    }
  });
}

/** A temporary table takes space on the disk, and leaves none behind. */
const writeTemporarily = (sql: Sql) =>
  transaction(sql, async (tx) => {
    await tx`create temporary table outage_probe (filling text) on commit drop`;
    await tx`insert into outage_probe select repeat(md5(n::text), 30) from generate_series(1, 100) n`;
  });

/** Probes for the outage log: the smallest work that fails while an outage lasts. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../db/client.ts';
import { sql } from '../db/sql.ts';
import { transaction } from '../db/transaction.ts';
import { databaseOutage, type OutageLog } from '../http/outage-log.ts';
import type { Storage } from '../modules/uploads/storage.ts';

/** In bytes: about as much as a large image. */
const imageSize = 1024 ** 2;

export function addProbes(outages: OutageLog, db: Database, storage: Storage): void {
  outages.addProbe('database', () => db.query(sql`select 1`));
  outages.addProbe('database writes', () =>
    writeTemporarily(db).catch((error) => {
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
const writeTemporarily = (db: Database) =>
  transaction(db, async (tx) => {
    await tx.query(sql`create temporary table outage_probe (filling text) on commit drop`);
    await tx.query(
      sql`insert into outage_probe select repeat(md5(n::text), 30) from generate_series(1, 100) n`,
    );
  });

/** Probes of the outage log: small operations that fail while an outage lasts. */
import { randomUUID } from 'node:crypto';
import { type Database, sql, transaction } from '#pg';
import type { DiskReserve } from '../http/disk-reserve.ts';
import { codeOf, databaseOutage, type OutageLog } from '../http/outage-log.ts';
import type { Storage } from '../modules/uploads/storage.ts';
import { assertClock } from './clock-check.ts';

/** In bytes: the size of a large image. */
const probeFileSize = 1024 ** 2;

type Dependencies = { db: Database; clock: () => Date; storage: Storage; disk: DiskReserve };

/** Adds the probes of all outages that the server detects by itself. */
export function addOutageProbes(outages: OutageLog, { db, clock, storage, disk }: Dependencies): void {
  outages.addProbe('database', () => db.query(sql`select 1`));
  outages.addProbe('database writes', async () => {
    disk.assertFree();
    await writeTemporaryTable(db).catch((error) => {
      // A role that may not create temporary tables does not indicate an outage: the probe then always
      // succeeds.
      if (databaseOutage(error)) throw error;
    });
  });
  const name = `probe-${randomUUID()}`;
  outages.addProbe('image storage', async () => {
    try {
      await storage.write(name, Buffer.alloc(probeFileSize)).finally(() => storage.remove(name));
    } catch (error) {
      throw storageError(storage, error);
    }
  });
  outages.addProbe('clock', () => assertClock(db, clock));
}

/** Names the directory or bucket, which errors of a bucket do not. */
const storageError = ({ place }: Storage, error: unknown) =>
  Object.assign(new Error(`images cannot be stored in ${place}: ${(error as Error).message}`), {
    code: codeOf(error),
    stack: '',
  });

/** Allocates disk space, which the commit frees. */
const writeTemporaryTable = (db: Database) =>
  transaction(db, async (tx) => {
    await tx.query(sql`create temporary table outage_probe (filling text) on commit drop`);
    await tx.query(
      sql`insert into outage_probe select repeat(md5(n::text), 30) from generate_series(1, 100) n`,
    );
  });

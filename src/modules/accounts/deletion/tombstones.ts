/**
 * Tombstones of deleted accounts: what sweeps must know, and when the next one is due. A tombstone is encrypted with the
 * server's key, so neither the database nor a backup tells who deleted their account.
 */
import { keyedHash, newIdAt, timeOfId } from '#base';
import { type Queryable, sql, type Transaction } from '#pg';
import { seal, unsealOwn } from '../../../lib/sealing.ts';
import type { AccountNames } from './delete-user.ts';

type Tombstone = AccountNames & {
  userId: string;
  /** People whose rows about the person were not visible when the account was deleted. */
  unseen: string[];
};

/**
 * When an account is swept, since its deletion; after a late sweep, the differences still are the waits. Commits that are
 * late by milliseconds are swept within seconds. A cluster finishes a lost commit a minute after it can reach the node
 * again.
 */
const sweepTimesMs = [5_000, 30_000, 90_000, 180_000, 300_000];

/** If the last sweep is later than this, all are repeated: servers or the database may have been down, and commits lost. */
const maxDelayMs = 60_000;

const sealKey = (secretKey: string): Buffer => keyedHash(secretKey, 'deleted-account', '');

/** To be called in the transaction of the deletion. */
export async function insertTombstone(
  tx: Transaction,
  tombstone: Tombstone,
  { secretKey, now }: { secretKey: string; now: Date },
): Promise<void> {
  await tx.execute(sql`
    insert into deleted_accounts (id, sealed, sweeps, due_at)
    values (${newIdAt(now)}, ${seal(sealKey(secretKey), tombstone)}, 0, ${dueAt(now, 0)})`);
}

/** When a sweep is due, if the one before it ran at `now`. */
const dueAt = (now: Date, sweeps: number): Date => {
  const [before = 0, at = 0] = [sweepTimesMs[sweeps - 1], sweepTimesMs[sweeps]];
  return new Date(now.getTime() + at - before);
};

export type DueTombstone = { id: string; sealed: Buffer; sweeps: number; dueAt: Date };

/** Locks the tombstone that has been due longest, and passes over those that other servers sweep. */
export async function lockDueTombstone(tx: Transaction, now: Date): Promise<DueTombstone | null> {
  const [due] = await tx.query<DueTombstone>(sql`
    select id, sealed, sweeps, due_at from deleted_accounts where due_at <= ${now}
    order by due_at limit 1 for update skip locked`);
  return due ?? null;
}

/** @returns null if the server has another key than the one that deleted the account */
export const openTombstone = ({ sealed }: DueTombstone, secretKey: string): Tombstone | null =>
  unsealOwn<Tombstone>(sealKey(secretKey), sealed);

/** Plans the next sweep after a successful one, or deletes the tombstone after the last one. */
export async function finishSweep(tx: Transaction, due: DueTombstone, now: Date): Promise<void> {
  const sweeps = due.sweeps + 1;
  if (sweeps < sweepTimesMs.length) {
    await tx.execute(sql`
      update deleted_accounts set sweeps = ${sweeps}, due_at = ${dueAt(now, sweeps)} where id = ${due.id}`);
  } else if (now.getTime() - due.dueAt.getTime() > maxDelayMs) {
    await restartSweeps(tx, due, now);
  } else {
    await deleteTombstone(tx, due.id);
  }
}

/** The longest time from a failed sweep to the next. */
const maxRetryMs = 3_600_000;

/**
 * Begins anew when the time since the deletion has doubled: a node may be lost for days, and sweeps that are late because
 * there are too many can catch up. The id of a tombstone has the time of the deletion.
 */
export async function restartSweeps(db: Queryable, { id, sweeps }: DueTombstone, now: Date): Promise<void> {
  const retryMs = Math.min(now.getTime() - timeOfId(id).getTime(), maxRetryMs);
  await db.execute(sql`
    update deleted_accounts set sweeps = 0, due_at = ${new Date(Math.max(dueAt(now, 0).getTime(), now.getTime() + retryMs))}
    where id = ${id} and sweeps = ${sweeps}`);
}

export async function deleteTombstone(db: Queryable, id: string): Promise<void> {
  await db.execute(sql`delete from deleted_accounts where id = ${id}`);
}

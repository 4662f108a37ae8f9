/**
 * SQL of uploads. A new file is first announced in `loose_files`, then written, then inserted into `uploads`.
 * Deleting an upload announces its file again. After a crash at any point, every file without an upload is
 * announced, and every upload has its file.
 */
import { secondsToNextUtcDay, utcDay } from '#base';
import { recordChange } from '#fresh-records';
import { type Database, one, type Queryable, sql, type Transaction, update } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { changedPeople } from '../../identity/changed-people.ts';
import { Problem } from '../../lib/errors.ts';
import type { UploadRow } from './present.ts';

/** Maximum number of uploads of a person in a day of UTC. */
const maxPerDay = 100;
/** Maximum size of the stored files of a person, in bytes. */
const maxStoredBytes = 1024 ** 3;
/** An announced file that has no upload after this time is deleted. */
const writeTimeoutMs = 60 * 60_000;

/** `today`: number of uploads in the day of UTC, refused images included. `bytes`: a bigint, which the driver returns as a string. */
type Usage = { today: number; bytes: string };

/** @throws Problem `too_many_uploads`, `storage_full` */
function checkUsage(usage: Usage, now: Date): void {
  if (Number(usage.bytes) > maxStoredBytes) throw new Problem('storage_full');
  if (usage.today <= maxPerDay) return;
  throw new Problem('too_many_uploads', { retryAfter: secondsToNextUtcDay(now) });
}

/**
 * Checks the quota before the image is converted. `insertUpload` checks it again, under a lock.
 * @throws Problem `too_many_uploads`, `storage_full`
 */
export async function requireQuota(db: Database, userId: string, now: Date): Promise<void> {
  const [usage] = await db.query<Usage>(sql`
    select case when day >= ${utcDay(now)} then today else 0 end + 1 as today, bytes + 1 as bytes
    from upload_usage where user_id = ${userId}`);
  if (usage) checkUsage(usage, now);
}

/** Announces a file. Call this outside a transaction, before the file is written. */
export async function announceFile(db: Database, id: string, now: Date): Promise<void> {
  await db.query(
    sql`insert into loose_files (id, due) values (${id}, ${new Date(now.getTime() + writeTimeoutMs)})`,
  );
}

/**
 * Counts an image that a person has sent. The row of `upload_usage` is locked, so concurrent uploads of a person cannot exceed
 * the quota. The day of the row never moves back, so a server whose clock is behind at midnight does not start the count again.
 * @param image.bytes the size of the stored file; 0 for an image that is refused
 */
export async function countUpload(
  tx: Transaction,
  userId: string,
  { bytes, now }: { bytes: number; now: Date },
): Promise<Usage> {
  return one(
    await tx.query<Usage>(sql`
    insert into upload_usage (user_id, day, today, bytes) values (${userId}, ${utcDay(now)}, 1, ${bytes})
    on conflict (user_id) do update set day = greatest(upload_usage.day, excluded.day),
      today = case when upload_usage.day >= excluded.day then upload_usage.today else 0 end + 1,
      bytes = upload_usage.bytes + excluded.bytes
    returning today, bytes`),
  );
}

/**
 * Inserts an upload whose file is written. An upload whose announcement is due or deleted is refused, because its file
 * may be deleted.
 * @throws Problem `too_many_uploads`, `storage_full`, `unavailable`
 */
export async function insertUpload(tx: Transaction, row: UploadRow, now: Date): Promise<void> {
  await tx.query(sql`
    insert into uploads (id, user_id, width, height, bytes, created_at)
    values (${row.id}, ${row.userId}, ${row.width}, ${row.height}, ${row.bytes}, ${row.createdAt})`);
  checkUsage(await countUpload(tx, row.userId, { bytes: row.bytes, now }), now);
  const count = await tx.execute(sql`delete from loose_files where id = ${row.id} and due > ${now}`);
  if (count === 0) throw new Problem('unavailable');
}

/**
 * Returns the uploads in the order of `ids`; null for an upload that does not exist or whose owner is
 * suspended.
 */
export async function listUploads(db: Database, ids: string[]): Promise<(UploadRow | null)[]> {
  const rows = await db.query<UploadRow>(sql`
    select id, user_id, width, height, bytes, created_at from uploads where id = any(${ids}::uuid[])`);
  // A query of its own: `users` may be distributed by another key than `uploads`.
  const suspended = await db.query<{ id: string }>(sql`
    select id from users where id = any(${rows.map(({ userId }) => userId)}::uuid[]) and suspended_at is not null`);
  const hidden = new Set(suspended.map(({ id }) => id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && !hidden.has(row.userId) ? row : null;
  });
}

/** The ids of all uploads, for a backup. */
export async function listUploadIds(db: Queryable): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`select id from uploads order by id`);
  return rows.map(({ id }) => id);
}

/** Whether the upload exists and belongs to the person. */
export async function isOwnUpload(db: Queryable, userId: string, id: string): Promise<boolean> {
  const [row] = await db.query(sql`select 1 from uploads where id = ${id} and user_id = ${userId}`);
  return row !== undefined;
}

/**
 * Deletes an upload, for its owner or an admin, and announces its file. The owner's row is locked first: `updateMe` locks it too, so the
 * upload cannot become the avatar at the same time.
 * @throws Problem `upload_not_found`, `not_owner`
 */
export async function deleteUpload(tx: Transaction, id: string, viewer: Viewer, now: Date): Promise<void> {
  const [upload] = await tx.query<{ userId: string }>(sql`select user_id from uploads where id = ${id}`);
  if (!upload) throw new Problem('upload_not_found');
  const { userId } = upload;
  if (viewer.id !== userId && viewer.role !== 'admin') throw new Problem('not_owner');
  await tx.query(sql`select 1 from users where id = ${userId} for no key update`);
  const [deleted] = await tx.query<{ bytes: number }>(
    sql`delete from uploads where id = ${id} returning bytes`,
  );
  if (!deleted) throw new Problem('upload_not_found');
  await tx.query(sql`update upload_usage set bytes = bytes - ${deleted.bytes} where user_id = ${userId}`);
  await tx.query(sql`insert into loose_files (id, due) values (${id}, ${now})`);
  const count = await tx.execute(sql`
    ${update('users', sql`avatar_upload = null`)} where id = ${userId} and avatar_upload = ${id}`);
  if (count > 0) await recordChange(tx, { records: [changedPeople([userId])] });
}

/** Makes an announced file due at once. @returns false if the file is not announced: its upload exists */
export async function dropFile(db: Database, id: string, now: Date): Promise<boolean> {
  const count = await db.execute(sql`update loose_files set due = ${now} where id = ${id}`);
  return count > 0;
}

/** Returns ids of files that are due, the longest due first. */
export async function listDueFiles(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from loose_files where due <= ${now} order by due limit ${limit}`);
  return rows.map(({ id }) => id);
}

const postponeMs = 10 * 60_000;

/** Moves files that could not be deleted behind the others. */
export async function postponeFiles(db: Database, ids: string[]): Promise<void> {
  const due = new Date(Date.now() + postponeMs);
  await db.query(sql`
    update loose_files set due = greatest(due, ${due}::timestamptz) where id = any(${ids}::uuid[])`);
}

/** Removes the announcements of deleted files. */
export async function forgetFiles(db: Database, ids: string[]): Promise<void> {
  await db.query(sql`delete from loose_files where id = any(${ids}::uuid[])`);
}

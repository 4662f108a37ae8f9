/**
 * Uploads in the database. A file is announced in `loose_files`, then written, and last told of in `uploads`; when an
 * upload goes it is announced again. So whatever ends in between, a file without a row is known, and a row has its file.
 */

import { recordChange } from '../../cache/change-log.ts';
import type { Database } from '../../db/client.ts';
import type { Queryable } from '../../db/query.ts';
import { one } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { dayMs } from '../../lib/time.ts';
import type { UploadRow } from './present.ts';

/** In a day of UTC. */
const maxInADay = 100;
/** In bytes, as they are stored. */
const maxBytes = 1024 ** 3;
/** A file that was announced and is not told of by then belongs to nobody. */
const writingMs = 60 * 60_000;

const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/** @throws Problem `too_many_uploads`, `storage_full` */
function checkUsage(usage: { today: number; bytes: string }, now: Date): void {
  if (Number(usage.bytes) > maxBytes) throw new Problem('storage_full');
  if (usage.today <= maxInADay) return;
  const msLeft = dayMs - (now.getTime() % dayMs);
  throw new Problem('too_many_uploads', { retryAfter: Math.ceil(msLeft / 1000) });
}

/** Before the work is done for nothing; what decides is `insertUpload`. @throws as it does */
export async function requireRoom(db: Database, userId: string, now: Date): Promise<void> {
  const [usage] = await db.query<{ today: number; bytes: string }>(sql`
    select case when day = ${dayOf(now)} then today else 0 end + 1 as today, bytes + 1 as bytes
    from upload_usage where user_id = ${userId}`);
  if (usage) checkUsage(usage, now);
}

/** To be committed before the file is written. */
export async function announceFile(db: Database, id: string, now: Date): Promise<void> {
  await db.query(
    sql`insert into loose_files (id, due) values (${id}, ${new Date(now.getTime() + writingMs)})`,
  );
}

/**
 * Right however many come at once: all of a person's uploads queue for their row of `upload_usage`. A file that is given
 * up meanwhile (its announcement due or gone) gets no row.
 * @throws Problem `too_many_uploads`, `storage_full`, `unavailable`
 */
export async function insertUpload(tx: Transaction, row: UploadRow, now: Date): Promise<void> {
  await tx.query(sql`
    insert into uploads (id, user_id, width, height, bytes, created_at)
    values (${row.id}, ${row.userId}, ${row.width}, ${row.height}, ${row.bytes}, ${row.createdAt})`);
  const usage = one(
    await tx.query<{ today: number; bytes: string }>(sql`
    insert into upload_usage (user_id, day, today, bytes) values (${row.userId}, ${dayOf(now)}, 1, ${row.bytes})
    on conflict (user_id) do update set day = excluded.day,
      today = case when upload_usage.day = excluded.day then upload_usage.today else 0 end + 1,
      bytes = upload_usage.bytes + excluded.bytes
    returning today, bytes`),
  );
  checkUsage(usage, now);
  const count = await tx.execute(sql`delete from loose_files where id = ${row.id} and due > ${now}`);
  if (count === 0) throw new Problem('unavailable');
}

/** In the order of the ids; null for what is not there, or is of somebody who is suspended. */
export async function listUploads(db: Database, ids: string[]): Promise<(UploadRow | null)[]> {
  const rows = await db.query<UploadRow>(sql`
    select id, user_id, width, height, bytes, created_at from uploads where id = any(${ids}::uuid[])`);
  // People live under another key.
  const suspended = await db.query<{ id: string }>(sql`
    select id from users where id = any(${rows.map(({ userId }) => userId)}::uuid[]) and suspended_at is not null`);
  const hidden = new Set(suspended.map(({ id }) => id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => {
    const row = byId.get(id);
    return row && !hidden.has(row.userId) ? row : null;
  });
}

export async function isOwnUpload(db: Queryable, userId: string, id: string): Promise<boolean> {
  const [row] = await db.query(sql`select 1 from uploads where id = ${id} and user_id = ${userId}`);
  return row !== undefined;
}

/**
 * The owner's row is held first, so that it is not made their avatar at the same time (updateMe holds it too).
 * @throws Problem `upload_not_found`, `not_owner`
 */
export async function deleteUpload(tx: Transaction, id: string, viewer: Viewer, now: Date): Promise<void> {
  const [upload] = await tx.query<{ userId: string }>(sql`select user_id from uploads where id = ${id}`);
  if (!upload) throw new Problem('upload_not_found');
  const { userId } = upload;
  if (userId !== viewer.id && viewer.role !== 'admin') throw new Problem('not_owner');
  await tx.query(sql`select 1 from users where id = ${userId} for no key update`);
  const [gone] = await tx.query<{ bytes: number }>(sql`delete from uploads where id = ${id} returning bytes`);
  if (!gone) throw new Problem('upload_not_found');
  await tx.query(sql`update upload_usage set bytes = bytes - ${gone.bytes} where user_id = ${userId}`);
  await tx.query(sql`insert into loose_files (id, due) values (${id}, ${now})`);
  const count = await tx.execute(sql`
    update users set avatar_upload = null where id = ${userId} and avatar_upload = ${id}`);
  if (count > 0) await recordChange(tx, { records: [userId] });
}

/** For account deletion, which holds the person's row. @returns the files to delete once it is committed */
export async function deleteUploadsOf(tx: Transaction, userId: string): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    with gone as (delete from uploads where user_id = ${userId} returning id)
    insert into loose_files (id, due) select id, now() from gone returning id`);
  return rows.map(({ id }) => id);
}

/** Gives up a file that was announced; one that `uploads` tells of by now is none of these. */
export async function dropFile(db: Database, id: string, now: Date): Promise<boolean> {
  const count = await db.execute(sql`update loose_files set due = ${now} where id = ${id}`);
  return count > 0;
}

/** Those that are longest due. */
export async function listDueFiles(db: Database, now: Date, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from loose_files where due <= ${now} order by due limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Those that could not be deleted give way to others. */
export async function postponeFiles(db: Database, ids: string[]): Promise<void> {
  await db.query(
    sql`update loose_files set due = greatest(due, now()) + interval '10 minutes' where id = any(${ids}::uuid[])`,
  );
}

/** Once the files are deleted. */
export async function forgetFiles(db: Database, ids: string[]): Promise<void> {
  await db.query(sql`delete from loose_files where id = any(${ids}::uuid[])`);
}

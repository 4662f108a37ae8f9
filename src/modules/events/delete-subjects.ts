import { isOneOf, sql, type Transaction } from '#pg';

/**
 * Deletes what is about events and series that are deleted: no foreign key can refer to either of the two. Runs after their deletion,
 * which waits for the transactions that hold their locks, so it finds what these have written.
 */
export async function deleteSubjects(tx: Transaction, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(sql`delete from invitations where ${isOneOf(sql`subject_id`, ids)}`);
  await tx.query(sql`delete from requests where ${isOneOf(sql`subject_id`, ids)}`);
  await tx.query(sql`delete from announcements where ${isOneOf(sql`subject_id`, ids)}`);
}

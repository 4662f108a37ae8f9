import type { Database } from '../../db/client.ts';
import type { Queryable } from '../../db/query.ts';
import { one } from '../../db/query.ts';
import { sql } from '../../db/sql.ts';
import type { Transaction } from '../../db/transaction.ts';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { dayMs } from '../../lib/time.ts';
import type { AdminReportRow, MessageText, ReportRow } from './present.ts';
import type { NewReport } from './schemas.ts';
import { findSubject, type Subject } from './subjects.ts';

/** Reports of one person in 24 hours. */
const maxInADay = 50;

/**
 * In the reporter's name, whose account the transaction must hold. The account of whom it is about is held too, so that
 * no report appears after its deletion; and the reporter's own against other reports of theirs, so that these count.
 * Once for each subject, by a unique index.
 * @throws Problem `subject_not_found`, `self_relation`, `already_reported`, `too_many_requests`
 */
export async function insertReport(
  tx: Transaction,
  reporter: Viewer,
  { subject, reason, text = '' }: NewReport,
  now: Date,
): Promise<ReportRow> {
  await tx.query(sql`select 1 from users where id = ${reporter.id} for no key update`);
  const found = await findSubject(tx, subject as Subject, reporter);
  const held = found && (await tx.query(sql`select 1 from users where id = ${found.aboutId} for key share`));
  if (!found || held?.length !== 1) throw new Problem('subject_not_found');
  if (found.aboutId === reporter.id) throw new Problem('self_relation');
  await refuseFlood(tx, reporter.id, now);
  const [row] = await tx.query<ReportRow>(sql`
    insert into reports (reporter_id, id, subject_type, subject_id, about_id, reason, text, status, note, created_at)
    values (${reporter.id}, ${newId()}, ${subject.type}, ${found.id}, ${found.aboutId}, ${reason}, ${text}, 'open', '',
      ${now})
    on conflict (reporter_id, subject_type, subject_id) do nothing
    returning *`);
  if (!row) throw new Problem('already_reported');
  return row;
}

async function refuseFlood(tx: Transaction, reporterId: string, now: Date): Promise<void> {
  const { sent, first } = one(
    await tx.query<{ sent: number; first: Date }>(sql`
    select count(*)::int as sent, min(created_at) as first from reports
    where reporter_id = ${reporterId} and created_at > ${new Date(now.getTime() - dayMs)}`),
  );
  if (sent < maxInADay) return;
  const wait = first.getTime() + dayMs - now.getTime();
  throw new Problem('too_many_requests', { retryAfter: Math.max(1, Math.ceil(wait / 1000)) });
}

/** The newest first. */
export async function listReports(
  db: Database,
  status: 'open' | 'resolved' | undefined,
  after: { createdAt: Date; id: string } | null,
  limit: number,
): Promise<AdminReportRow[]> {
  const rows = await db.query<ReportRow>(sql`
    select * from reports
    where true
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${after ? sql`and (created_at, id) < (${after.createdAt}, ${after.id})` : sql``}
    order by created_at desc, id desc limit ${limit}`);
  return complete(db, rows);
}

/**
 * Resolves it; one that is resolved stays so, and may get another note. Found by its id alone: admins do not know under
 * whose key it lies.
 * @returns null when there is none; else the report, and whether it was open
 */
export async function resolveReport(
  tx: Transaction,
  id: string,
  note: string | undefined,
  now: Date,
): Promise<{ row: AdminReportRow; wasOpen: boolean } | null> {
  const [before] = await tx.query<{ reporterId: string; status: string }>(sql`
    select reporter_id, status from reports where id = ${id} for update`);
  if (!before) return null;
  const rows = await tx.query<ReportRow>(sql`
    update reports set status = 'resolved', note = coalesce(${note ?? null}, note),
      resolved_at = coalesce(resolved_at, ${now})
    where reporter_id = ${before.reporterId} and id = ${id}
    returning *`);
  const [row] = await complete(tx, rows);
  return row ? { row, wasOpen: before.status === 'open' } : null;
}

/** People live under another key, so they are asked for apart; who has just left has no name any more. */
async function complete(db: Queryable, rows: ReportRow[]): Promise<AdminReportRow[]> {
  const messages = await listReported(db, rows);
  const ids = [...new Set(rows.flatMap(({ reporterId, aboutId }) => [reporterId, aboutId]))];
  const people = await db.query<AdminReportRow['about']>(sql`
    select id, name, username, suspended_at is not null as is_suspended from users where id = any(${ids}::uuid[])`);
  const byId = new Map(people.map((person) => [person.id, person]));
  const personOf = (id: string) => byId.get(id) ?? { id, name: '', username: '', isSuspended: false };
  return rows.map((row) => ({
    ...row,
    reporter: personOf(row.reporterId),
    about: personOf(row.aboutId),
    message: messages.get(row.id) ?? null,
  }));
}

/** The messages that were reported, by the report's id: nobody else could show them to an admin. */
async function listReported(db: Queryable, rows: ReportRow[]) {
  const reports = rows.filter(({ subjectType }) => subjectType === 'message');
  if (reports.length === 0) return new Map<string, MessageText>();
  const found = await db.query<MessageText & { reportId: string }>(sql`
    select k.report_id, m.text, m.created_at
    from unnest(${reports.map(({ id }) => id)}::uuid[], ${reports.map(({ reporterId }) => reporterId)}::uuid[],
      ${reports.map(({ aboutId }) => aboutId)}::uuid[], ${reports.map(({ subjectId }) => subjectId)}::uuid[])
      k (report_id, user_id, other_id, id)
    join messages m on m.user_id = k.user_id and m.other_id = k.other_id and m.id = k.id`);
  return new Map(found.map(({ reportId, ...message }) => [reportId, message]));
}

/**
 * For the deletion of an account: what the person reported, and what was reported of them and theirs. Locked in one
 * order first, for two who reported each other may leave at once.
 */
export async function deleteReports(tx: Transaction, userId: string): Promise<void> {
  await tx.query(sql`
    select 1 from reports where reporter_id = ${userId} or about_id = ${userId} order by reporter_id, id for update`);
  await tx.query(sql`delete from reports where reporter_id = ${userId} or about_id = ${userId}`);
}

import { dayMs, newId } from '#base';
import { type Database, lockEach, one, type Queryable, rowsOf, sql, type Transaction } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { Problem } from '../../../lib/errors.ts';
import { formatCommentId, readCommentId } from '../../../lib/ids.ts';
import { insertSelectedCauses } from '../../../outbox/causes.ts';
import { listCommentTexts } from '../../comments/repo.ts';
import { subjectFinders } from './policy.ts';
import type { AdminReportRow, InvolvedRow, MessageText, ReportRow } from './present.ts';
import type { NewReport, ReportOrder } from './schemas.ts';

/** Maximum number of reports of one person in 24 hours. */
const maxPerDay = 50;

/**
 * Inserts a report. The transaction must have locked the reporter's account (`actAs`). This function also locks
 * - the reporter's account against their other reports, so that the daily limit holds;
 * - the account that the report concerns, so that no report is inserted after its deletion.
 *
 * A unique index permits one report of a subject for each reporter.
 * @throws Problem `subject_not_found`, `self_relation`, `already_reported`, `too_many_requests`
 */
export async function insertReport(
  tx: Transaction,
  reporter: Viewer,
  { subject, reason, text = '' }: NewReport,
  now: Date,
): Promise<ReportRow> {
  await tx.query(sql`select 1 from users where id = ${reporter.id} for no key update`);
  const found = await subjectFinders[subject.type](tx, subject.id, reporter);
  const locked =
    found && (await tx.query(sql`select 1 from users where id = ${found.aboutId} for key share`));
  if (!found || locked?.length !== 1) throw new Problem('subject_not_found');
  if (found.aboutId === reporter.id) throw new Problem('self_relation');
  await requireQuota(tx, reporter.id, now);
  const [row] = await tx.query<ReportRow>(sql`
    insert into reports (reporter_id, id, subject_type, subject_id, about_id, reason, text, status, note, created_at)
    values (${reporter.id}, ${newId()}, ${subject.type}, ${found.id}, ${found.aboutId}, ${reason}, ${text}, 'open', '',
      ${now})
    on conflict (reporter_id, subject_type, subject_id) do nothing
    returning *`);
  if (!row) throw new Problem('already_reported');
  await notifyAdmins(tx, reporter.id);
  return row;
}

/** Stores the causes of the notifications of all admins but the reporter. */
const notifyAdmins = (tx: Transaction, reporterId: string): Promise<number> =>
  tx.execute(
    insertSelectedCauses(sql`
      select ${newId()}::uuid, id, 'reports', id, ${reporterId}::uuid, 1 from users
      where role = 'admin' and suspended_at is null`),
  );

/** @throws Problem `too_many_requests` */
async function requireQuota(tx: Transaction, reporterId: string, now: Date): Promise<void> {
  const { sent, first } = one(
    await tx.query<{ sent: number; first: Date }>(sql`
    select count(*)::int as sent, min(created_at) as first from reports
    where reporter_id = ${reporterId} and created_at > ${new Date(now.getTime() - dayMs)}`),
  );
  if (sent < maxPerDay) return;
  const wait = first.getTime() + dayMs - now.getTime();
  throw new Problem('too_many_requests', { retryAfter: Math.max(1, Math.ceil(wait / 1000)) });
}

type ReportFilter = {
  status: ReportRow['status'] | undefined;
  reason: ReportRow['reason'] | undefined;
  /** Null for reports about everyone. */
  aboutId: string | null;
  order: ReportOrder;
};

/**
 * Returns reports.
 * @param filter.status undefined: reports of every status. `reason`: undefined for every reason
 * @param after the time and id of the last report of the previous page; null for the first page
 */
export async function listReports(
  db: Database,
  { status, reason, aboutId, order }: ReportFilter,
  after: [createdAt: Date, id: string] | null,
  limit: number,
): Promise<AdminReportRow[]> {
  const isOldest = order === 'oldest';
  const isAfter = ([at, id]: [Date, string]) =>
    isOldest ? sql`and (created_at, id) > (${at}, ${id})` : sql`and (created_at, id) < (${at}, ${id})`;
  const rows = await db.query<ReportRow>(sql`
    select * from reports
    where true
      ${status === undefined ? sql`` : sql`and status = ${status}`}
      ${reason === undefined ? sql`` : sql`and reason = ${reason}`}
      ${aboutId === null ? sql`` : sql`and about_id = ${aboutId}`}
      ${after ? isAfter(after) : sql``}
    order by ${isOldest ? sql`created_at, id` : sql`created_at desc, id desc`} limit ${limit}`);
  return withDetails(db, rows);
}

/** Returns a report; null if it does not exist. */
export async function findReport(db: Database, id: string): Promise<AdminReportRow | null> {
  const rows = await db.query<ReportRow>(sql`select * from reports where id = ${id}`);
  const [row] = await withDetails(db, rows);
  return row ?? null;
}

type OpenReports = { reason: ReportRow['reason']; count: number; oldest: Date };

/** Counts the oldest 1,000 open reports by reason, the most frequent first. `oldest`: the time of the oldest. */
export const countOpenReports = (db: Database): Promise<OpenReports[]> =>
  db.query<OpenReports>(sql`
    select reason, count(*)::int as count, min(created_at) as oldest
    from (select reason, created_at from reports where status = 'open' order by created_at, id limit 1000) r
    group by reason order by count desc, reason`);

/**
 * Resolves or reopens a report; its note may change. The report is found by its id alone, because admins do not send the
 * reporter's id, which is the distribution key.
 * @param change.note undefined: the note stays
 * @returns null if the report does not exist; otherwise the report, and whether its status changed
 */
export async function changeReport(
  tx: Transaction,
  id: string,
  { status, note }: { status: ReportRow['status']; note?: string },
  now: Date,
): Promise<{ row: AdminReportRow; isChanged: boolean } | null> {
  const [found] = await tx.query<{ reporterId: string }>(sql`
    select reporter_id from reports where id = ${id}`);
  if (!found) return null;
  const [before] = await tx.query<{ status: string }>(sql`
    select status from reports where reporter_id = ${found.reporterId} and id = ${id} for update`);
  if (!before) return null;
  const rows = await tx.query<ReportRow>(sql`
    update reports set status = ${status}, note = coalesce(${note ?? null}, note),
      resolved_at = case when ${status === 'resolved'} then coalesce(resolved_at, ${now}) end
    where reporter_id = ${found.reporterId} and id = ${id}
    returning *`);
  const [row] = await withDetails(tx, rows);
  return row ? { row, isChanged: before.status !== status } : null;
}

/**
 * Resolves the open reports of a subject. Those without a note get one. Reports are locked by reporter, of whom each has at
 * most one about a subject.
 */
export async function resolveReportsOf(
  tx: Transaction,
  { type, id, aboutId }: { type: ReportRow['subjectType']; id: string; aboutId: string },
  { note, now }: { note: string; now: Date },
): Promise<void> {
  const isOpen = sql`about_id = ${aboutId} and subject_type = ${type} and subject_id = ${id} and status = 'open'`;
  const rows = await tx.query<{ reporterId: string }>(sql`select reporter_id from reports where ${isOpen}`);
  const reporters = rows.map(({ reporterId }) => reporterId);
  await lockEach(reporters, String, (reporterId) =>
    tx.query(sql`
      update reports set status = 'resolved', resolved_at = ${now}, note = coalesce(nullif(note, ''), ${note})
      where reporter_id = ${reporterId} and ${isOpen}`),
  );
}

/**
 * Adds people, and reported messages and comments, to reports. People have a query of their own, because `users` may be
 * distributed by another key than `reports`. The name of a person is empty if the account was deleted after
 * the reports were read.
 */
async function withDetails(db: Queryable, rows: ReportRow[]): Promise<AdminReportRow[]> {
  const [messages, comments] = await Promise.all([
    listReportedMessages(db, rows),
    listReportedComments(db, rows),
  ]);
  const ids = [...new Set(rows.flatMap(({ reporterId, aboutId }) => [reporterId, aboutId]))];
  const people = await db.query<InvolvedRow>(sql`
    select id, name, username, avatar_upload, guest_of is null as has_account, suspended_at is not null as is_suspended
    from users where id = any(${ids}::uuid[])`);
  const byId = new Map(people.map((person) => [person.id, person]));
  const personOf = (id: string) =>
    byId.get(id) ?? { id, name: '', username: '', avatarUpload: null, hasAccount: true, isSuspended: false };
  return rows.map((row) => ({
    ...row,
    reporter: personOf(row.reporterId),
    about: personOf(row.aboutId),
    message: messages.get(row.id) ?? comments.get(row.subjectId) ?? null,
  }));
}

/** Returns the reported messages by the id of the report. Admins cannot read messages in any other way. */
async function listReportedMessages(db: Queryable, rows: ReportRow[]) {
  const reports = rows.filter(({ subjectType }) => subjectType === 'message');
  if (reports.length === 0) return new Map<string, MessageText>();
  const keys = reports.map(({ id, reporterId, aboutId, subjectId }) => ({
    reportId: id,
    userId: reporterId,
    otherId: aboutId,
    id: subjectId,
  }));
  const found = await db.query<MessageText & { reportId: string }>(sql`
    select k.report_id, m.text, m.created_at
    from ${rowsOf('messages m', keys, { userId: 'uuid', otherId: 'uuid', id: 'uuid' }, { reportId: 'uuid' })}`);
  return new Map(found.map(({ reportId, ...message }) => [reportId, message]));
}

/** Returns the reported comments by their ids. */
async function listReportedComments(db: Queryable, rows: ReportRow[]): Promise<Map<string, MessageText>> {
  const ids = rows.flatMap((row) => (row.subjectType === 'comment' ? [readCommentId(row.subjectId)] : []));
  const found = await listCommentTexts(db, ids);
  return new Map(found.map(({ text, createdAt, ...id }) => [formatCommentId(id), { text, createdAt }]));
}

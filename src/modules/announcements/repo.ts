/** SQL of announcements. */
import { dayMs, minId } from '#base';
import { assignments, type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Audience } from '../../outbox/audiences.ts';

/** `subjectId`: the event or the series. */
export type AnnouncementRow = {
  id: string;
  subjectId: string;
  isOfSeries: boolean;
  authorId: string;
  text: string;
  audience: Audience[];
  status: 'scheduled' | 'sent' | 'missed';
  isOfChange: boolean;
  sendAt: Date;
  sentAt: Date | null;
  editedAt: Date | null;
  createdAt: Date;
  recipients: number | null;
};

const columns = sql`
  id, subject_id, is_of_series, author_id, text, audience, status, is_of_change, send_at, sent_at, edited_at, created_at, recipients`;

/** The announcements of an event or a series that `readBy` restricts, the newest first. @param after the last one of the page before */
export const listAnnouncements = (
  db: Queryable,
  subjectId: string,
  { readBy, after, limit }: { readBy: Statement; after: [sendAt: Date, id: string] | null; limit: number },
): Promise<AnnouncementRow[]> =>
  db.query<AnnouncementRow>(sql`
    select ${columns} from announcements
    where subject_id = ${subjectId} and status <> 'deleted' and ${readBy}
      ${after ? sql`and (send_at, id) < (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``}
    order by send_at desc, id desc limit ${limit}`);

/** The condition of the announcements that a person may read: what was sent to the lists in which the person is now. */
export const readBy = (lists: Audience[], blockedIds: string[]): Statement => sql`
  status = 'sent' and audience && ${lists}::text[] and author_id <> all(${blockedIds}::uuid[])`;

/** Finds an announcement by its id alone, which is all that a request has. Null for an unknown id, and for a deleted one. */
export async function findAnnouncement(db: Queryable, id: string): Promise<AnnouncementRow | null> {
  const [row] = await db.query<AnnouncementRow>(
    sql`select ${columns} from announcements where id = ${id} and status <> 'deleted'`,
  );
  return row ?? null;
}

type Key = { subjectId: string; id: string };

/** Locks an announcement. Null if it was deleted meanwhile. */
export async function lockAnnouncement(
  tx: Transaction,
  { subjectId, id }: Key,
): Promise<AnnouncementRow | null> {
  const [row] = await tx.query<AnnouncementRow>(sql`
    select ${columns} from announcements
    where subject_id = ${subjectId} and id = ${id} and status <> 'deleted' for update`);
  return row ?? null;
}

export const changeAnnouncement = ({
  subjectId,
  id,
  text,
  audience,
  sendAt,
  editedAt,
}: Pick<AnnouncementRow, keyof Key | 'text' | 'audience' | 'sendAt' | 'editedAt'>): Statement => sql`
  update announcements set ${assignments({ text, audience, send_at: sendAt, edited_at: editedAt })}
  where subject_id = ${subjectId} and id = ${id}`;

/** Takes the text away. The row counts towards the limits of its day, and reaches no further recipient. */
export const emptyAnnouncement = ({ subjectId, id }: Key): Statement => sql`
  update announcements set status = 'deleted', text = '', position = null where subject_id = ${subjectId} and id = ${id}`;

/** The announcements of 24 hours, deleted ones included. `first`: the time of the oldest. */
export async function countRecent(
  tx: Transaction,
  of: Statement,
  now: Date,
): Promise<{ count: number; first: Date | null }> {
  const [row] = await tx.query<{ count: number; first: Date | null }>(sql`
    select count(*)::int as count, min(created_at) as first from announcements
    where ${of} and not is_of_change and created_at > ${new Date(now.getTime() - dayMs)}`);
  return row ?? { count: 0, first: null };
}

export const deleteEmptied = async (db: Queryable, now: Date): Promise<void> => {
  await db.execute(
    sql`delete from announcements where status = 'deleted' and created_at <= ${new Date(now.getTime() - dayMs)}`,
  );
};

/** Announcements that one run sends. */
const maxDue = 1_000;

export const listDue = (
  db: Queryable,
  now: Date,
): Promise<(Key & { isOfSeries: boolean; authorId: string })[]> =>
  db.query(sql`
    select subject_id, id, is_of_series, author_id from announcements where status = 'scheduled' and send_at <= ${now}
    order by send_at limit ${maxDue}`);

export const markSent = async (
  tx: Transaction,
  { subjectId, id }: Key,
  { now, recipients }: { now: Date; recipients: number },
): Promise<void> => {
  await tx.execute(sql`
    update announcements set status = 'sent', sent_at = ${now}, recipients = ${recipients}, position = ${minId}
    where subject_id = ${subjectId} and id = ${id}`);
};

export const markMissed = async (tx: Transaction, { subjectId, id }: Key): Promise<void> => {
  await tx.execute(
    sql`update announcements set status = 'missed' where subject_id = ${subjectId} and id = ${id}`,
  );
};

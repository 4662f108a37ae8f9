/** What the outbox and the modules above it know of announcements. The module `announcements` has the rest. */
import { minId } from '#base';
import { insertValues, type Queryable, type Statement, sql } from '#pg';
import { type Audience, eventSubject, findSeriesSubject, listAudiencesOf } from './audiences.ts';

export const announcementStatuses = ['scheduled', 'sent', 'missed'] as const;

export type NewAnnouncement = {
  id: string;
  /** The event or the series. */
  subjectId: string;
  isOfSeries: boolean;
  authorId: string;
  text: string;
  audience: Audience[];
  status: 'scheduled' | 'sent';
  /** Whether the notification of a change has it. Otherwise a job notifies the recipients once it is sent. */
  isOfChange: boolean;
  sendAt: Date;
  /** Null until it is sent. */
  recipients: number | null;
};

/** The statement that stores an announcement, which is sent at `now` unless it is scheduled. */
export const insertAnnouncement = (
  {
    id,
    subjectId,
    isOfSeries,
    authorId,
    text,
    audience,
    status,
    isOfChange,
    sendAt,
    recipients,
  }: NewAnnouncement,
  now: Date,
): Statement => sql`
  insert into announcements ${insertValues({
    ...{ subject_id: subjectId, id, is_of_series: isOfSeries, author_id: authorId, text, audience, status },
    ...{
      is_of_change: isOfChange,
      send_at: sendAt,
      sent_at: status === 'sent' ? now : null,
      created_at: now,
      recipients,
    },
    position: status === 'sent' && !isOfChange ? minId : null,
  })}`;

export async function listAnnouncementIds(db: Queryable, eventId: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from announcements where subject_id = ${eventId}`,
  );
  return rows.map(({ id }) => id);
}

/** Whether a person is among those whom an announcement is for. Who was removed, or has left, is not any more. */
export async function isAddressed(db: Queryable, id: string, userId: string, now: Date): Promise<boolean> {
  const [sent] = await db.query<{ subjectId: string; isOfSeries: boolean; audience: Audience[] }>(
    sql`select subject_id, is_of_series, audience from announcements where id = ${id} and status = 'sent'`,
  );
  if (!sent) return false;
  const { subjectId, isOfSeries, audience } = sent;
  const subject = isOfSeries ? await findSeriesSubject(db, subjectId, now) : eventSubject(subjectId);
  const lists = await listAudiencesOf(db, subject, userId);
  return lists.some((list) => audience.includes(list));
}

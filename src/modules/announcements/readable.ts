/** Which announcements of an event or a series a person may read. */
import { type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { listAudiencesOf } from '../../outbox/audiences.ts';
import { isOrganizer } from '../events/audience.ts';
import { listBlocked } from '../people/blocks.ts';
import {
  type AnnouncementRow,
  findAnnouncement,
  listAnnouncements,
  lockAnnouncement,
  readBy,
} from './repo.ts';
import { findSubject, type Subject } from './subjects.ts';

/**
 * The condition of the announcements that a viewer may read: all of them for organizers. Others read what was sent to a list of
 * people in which they are now, unless a block separates them from the author.
 */
export async function readableBy(
  db: Queryable,
  subject: Pick<Subject, 'people' | 'organizerId'>,
  viewer: Viewer | null,
): Promise<Statement> {
  if (isOrganizer(subject, viewer)) return sql`true`;
  if (!viewer) return sql`false`;
  const [lists, blocked] = await Promise.all([
    listAudiencesOf(db, subject.people, viewer.id),
    listBlocked(db, [viewer.id], true),
  ]);
  return readBy(
    lists,
    blocked.map(({ otherId }) => otherId),
  );
}

/**
 * Finds an announcement that the caller may change, with its subject, and locks it: a job that sends it, or notifies its recipients,
 * has ended or begins later.
 * @throws Problem `announcement_not_found` unless the caller may read it; `not_organizer`
 */
export async function requireOwnAnnouncement(
  tx: Transaction,
  id: string,
  caller: Caller,
  now: Date,
): Promise<{ row: AnnouncementRow; subject: Subject }> {
  const found = await findAnnouncement(tx, id);
  const subject = found && (await findSubject(tx, found, now, caller));
  if (!subject) throw new Problem('announcement_not_found');
  if (!isOrganizer(subject, caller)) {
    const condition = sql`id = ${id} and ${await readableBy(tx, subject, caller)}`;
    const [readable] = await listAnnouncements(tx, subject.id, { readBy: condition, after: null, limit: 1 });
    throw new Problem(readable ? 'not_organizer' : 'announcement_not_found');
  }
  const row = await lockAnnouncement(tx, found);
  if (!row) throw new Problem('announcement_not_found');
  return { row, subject };
}

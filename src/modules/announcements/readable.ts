/** Which announcements of an event a person may read. */
import { type Queryable, type Statement, sql, type Transaction } from '#pg';
import type { Caller, Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { listAudiencesOf } from '../../outbox/audiences.ts';
import { isOrganizer } from '../events/audience.ts';
import type { EventRow } from '../events/present.ts';
import { findEvent } from '../events/repo.ts';
import { invitedIn, isVisibleTo } from '../events/standings.ts';
import { listBlocked } from '../people/blocks.ts';
import {
  type AnnouncementRow,
  findAnnouncement,
  listAnnouncements,
  lockAnnouncement,
  readBy,
} from './repo.ts';

/**
 * The condition of the announcements that a viewer may read: all of them for organizers. Others read what was sent to a list of
 * people in which they are now, unless a block separates them from the author.
 */
export async function readableBy(
  db: Queryable,
  event: Pick<EventRow, 'id' | 'organizerId'>,
  viewer: Viewer | null,
): Promise<Statement> {
  if (isOrganizer(event, viewer)) return sql`true`;
  if (!viewer) return sql`false`;
  const [lists, blocked] = await Promise.all([
    listAudiencesOf(db, event.id, viewer.id),
    listBlocked(db, [viewer.id], true),
  ]);
  return readBy(
    lists,
    blocked.map(({ otherId }) => otherId),
  );
}

/**
 * Finds an announcement that the caller may change, with its event, and locks it: a job that sends it, or notifies its recipients,
 * has ended or begins later.
 * @throws Problem `announcement_not_found` unless the caller may read it; `not_organizer`
 */
export async function requireOwnAnnouncement(
  tx: Transaction,
  id: string,
  caller: Caller,
): Promise<{ row: AnnouncementRow; event: EventRow }> {
  const found = await findAnnouncement(tx, id);
  const event = found && (await findEvent(tx, found.subjectId));
  if (!event || !(await isVisibleTo(invitedIn(tx), event.id, event, caller)))
    throw new Problem('announcement_not_found');
  if (!isOrganizer(event, caller)) {
    const condition = sql`id = ${id} and ${await readableBy(tx, event, caller)}`;
    const [readable] = await listAnnouncements(tx, event.id, { readBy: condition, after: null, limit: 1 });
    throw new Problem(readable ? 'not_organizer' : 'announcement_not_found');
  }
  const row = await lockAnnouncement(tx, found);
  if (!row) throw new Problem('announcement_not_found');
  return { row, event };
}

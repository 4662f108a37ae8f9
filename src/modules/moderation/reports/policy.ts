/** Decides what a person may report, and finds the person whom the report concerns. */
import { sql, type Transaction } from '#pg';
import type { Viewer } from '../../../identity/caller.ts';
import { formatCommentId, formatItemId, readCommentId, readId, readItemId } from '../../../lib/ids.ts';
import { findCommentAuthor } from '../../comments/readers.ts';
import { findEvent } from '../../events/repo.ts';
import { invitedIn, isVisibleTo } from '../../events/standings.ts';
import { findItemState } from '../../items/repo.ts';
import type { NewReport } from './schemas.ts';

/** The id in its canonical form, and the person whom a report of the subject concerns. */
type ReportableSubject = { id: string; aboutId: string };
type Find = (tx: Transaction, id: string, viewer: Viewer) => Promise<ReportableSubject | null>;

/**
 * Find a subject; null if it does not exist or the viewer may not report it.
 * @throws Problem `subject_not_found` for a malformed id
 */
export const subjectFinders: Record<NewReport['subject']['type'], Find> = {
  async event(tx, id, viewer) {
    const event = await findEvent(tx, readId(id, 'subject_not_found'));
    return event && (await isVisibleTo(invitedIn(tx), event.id, event, viewer))
      ? { id: event.id, aboutId: event.organizerId }
      : null;
  },
  async item(tx, id, viewer) {
    const item = readItemId(id, 'subject_not_found');
    const state = await findItemState(tx, item, viewer);
    return state && { id: formatItemId(item), aboutId: state.organizerId };
  },
  /** A message can be reported by its recipient alone. */
  async message(tx, id, viewer) {
    const [row] = await tx.query<ReportableSubject>(sql`
      select id, other_id as about_id from messages
      where user_id = ${viewer.id} and id = ${readId(id, 'subject_not_found')} and not is_own`);
    return row ?? null;
  },
  async comment(tx, id, viewer) {
    const comment = readCommentId(id, 'subject_not_found');
    const aboutId = await findCommentAuthor(tx, comment, viewer);
    return aboutId === null ? null : { id: formatCommentId(comment), aboutId };
  },
  async user(tx, id, viewer) {
    const [row] = await tx.query<ReportableSubject>(sql`
      select id, id as about_id from users
      where id = ${readId(id, 'subject_not_found')} and guest_of is null and (suspended_at is null or ${viewer.role === 'admin'})`);
    return row ?? null;
  },
};

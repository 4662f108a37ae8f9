/** Who reads which comments. */
import type { Queryable } from '#pg';
import type { Viewer } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import type { CommentId } from '../../lib/ids.ts';
import { belongsToAudience, findIsGuest } from '../events/audience.ts';
import { isVisible, type Standing } from '../events/policy.ts';
import { findEvent } from '../events/repo.ts';
import { findStanding } from '../events/standings.ts';
import { blockedViewer, type CommentedEvent } from './policy.ts';
import { findComment, listHiddenAuthors } from './repo.ts';

/** Whether a viewer of an event may read its comments. Invited people may, also before they answer. */
export const mayRead = (
  db: Queryable,
  event: CommentedEvent,
  viewer: Viewer | null,
  { isInvited }: Standing,
): Promise<boolean> =>
  belongsToAudience(
    event.commentVisibility,
    event,
    viewer,
    async (key) => isInvited || (await findIsGuest(db, key)),
  );

/** @throws Problem `comments_private` */
export async function requireReader(
  db: Queryable,
  event: CommentedEvent,
  viewer: Viewer | null,
  standing: Standing,
): Promise<void> {
  if (!(await mayRead(db, event, viewer, standing))) throw new Problem('comments_private');
}

/** The author of a comment of an event; null if there is none, or it is hidden from a reader of the event's comments. */
export async function findShownAuthor(
  db: Queryable,
  event: CommentedEvent,
  comment: CommentId,
  reader: Viewer,
): Promise<string | null> {
  const [found, hidden] = await Promise.all([
    comment.eventId === event.id ? findComment(db, comment) : null,
    listHiddenAuthors(db, event.id, blockedViewer(event, reader)),
  ]);
  return found && !hidden.includes(found.userId) ? found.userId : null;
}

/** The author of a comment; null unless the viewer may read it. */
export async function findCommentAuthor(
  db: Queryable,
  comment: CommentId,
  viewer: Viewer,
): Promise<string | null> {
  const [event, standing] = await Promise.all([
    findEvent(db, comment.eventId),
    findStanding(db, comment.eventId, viewer),
  ]);
  if (!event || !isVisible(event, viewer, standing)) return null;
  return (await mayRead(db, event, viewer, standing)) ? findShownAuthor(db, event, comment, viewer) : null;
}

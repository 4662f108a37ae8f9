import { sql, type Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Success } from '../../http/schemas.ts';
import { actAs } from '../../identity/act-as.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { type CommentId, readCommentId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import type { EventRow } from '../events/present.ts';
import type { EventServices } from '../events/services.ts';
import { findStanding } from '../events/standings.ts';
import { refuseDeletion } from './policy.ts';
import { findShownAuthor, mayRead } from './readers.ts';
import { deleteComments, findComment, lockExistingComments } from './repo.ts';
import { CommentParams } from './schemas.ts';

export const deleteComment = defineEndpoint({
  method: 'DELETE',
  path: '/v1/comments/:id',
  summary: 'Delete a comment',
  description:
    'For its author, also if the author may no longer read the comments, and for the organizer and admins. Replies stay, with ' +
    '`replyTo: null`.',
  caller: 'fresh',
  session: { guests: 'ofEvent' },
  params: CommentParams,
  response: { 200: Success },
  problems: ['comment_not_found', 'comments_private', 'not_owner'],

  async handler({ caller, params }, { db, events }: EventServices) {
    const comment = readCommentId(params.id);
    const event = await events.find(comment.eventId);
    if (!event) throw new Problem('comment_not_found');
    await actAs(db, caller, async (tx, current) => {
      await lockExistingComments(tx, comment.eventId);
      await requireDeletable(tx, comment, event.row, current);
      await deleteComments(tx, sql`event_id = ${comment.eventId} and id = ${comment.id}`);
    });
    return { status: 200, body: { success: true as const } };
  },
});

/** @throws Problem `comment_not_found`, `comments_private` for an unknown comment that the caller could not read, `not_owner` */
async function requireDeletable(
  tx: Transaction,
  comment: CommentId,
  event: EventRow,
  caller: Caller,
): Promise<void> {
  const found = await findComment(tx, comment);
  if (found?.userId === caller.id) return;
  const standing = await findStanding(tx, event.id, caller);
  if (!isVisible(event, caller, standing)) throw new Problem('comment_not_found');
  // Of a comment that exists: its id comes from a time at which the person read it.
  if (!(await mayRead(tx, event, caller, standing)))
    throw new Problem(found ? 'not_owner' : 'comments_private');
  const authorId = await findShownAuthor(tx, event, comment, caller);
  if (authorId === null) throw new Problem('comment_not_found');
  const refusal = refuseDeletion(event, authorId, caller);
  if (refusal) throw refusal;
}

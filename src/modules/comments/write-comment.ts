import type { Transaction } from '#pg';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { runIdempotent } from '../../idempotency/run-idempotent.ts';
import type { Caller } from '../../identity/caller.ts';
import { Problem } from '../../lib/errors.ts';
import { readCommentId, readId } from '../../lib/ids.ts';
import { type Cause, insertCauses } from '../../outbox/causes.ts';
import { isVisible } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { findStanding } from '../events/standings.ts';
import { countComment } from './comment-limits.ts';
import { type CommentedEvent, refuseNumber } from './policy.ts';
import { type CommentRow, toComment } from './present.ts';
import { findShownAuthor, requireReader } from './readers.ts';
import { insertComment, lockComments } from './repo.ts';
import { Comment, NewComment } from './schemas.ts';

export const writeComment = defineEndpoint({
  method: 'POST',
  path: '/v1/events/:id/comments',
  summary: 'Write a comment',
  description:
    'For those who may read the comments of the event, also if it is cancelled or has ended. A person may write 10 comments a ' +
    'minute and 200 a day of UTC, a guest without an account 50; one more results in a 429. An event has at most 5,000 comments, ' +
    'and takes none of guests without an account once it has 4,000.',
  caller: 'fresh',
  session: { guests: 'ofEvent' },
  retry: 'idempotent',
  params: EventParams,
  body: NewComment,
  response: { 201: Comment },
  problems: [
    'event_not_found',
    'module_disabled',
    'comments_private',
    'removed_from_event',
    'comment_not_found',
    'comments_full',
    'quota_exceeded',
  ],

  async handler({ caller, params, body, idempotency }, services: EventServices) {
    const { db, events, people, config, clock } = services;
    const eventId = readId(params.id, 'event_not_found');
    const [event, standing] = await Promise.all([events.find(eventId), findStanding(db, eventId, caller)]);
    if (!event || !isVisible(event.row, caller, standing)) throw new Problem('event_not_found');
    const { enabledModules, organizerId } = event.row;
    if (!enabledModules.includes('comments')) throw new Problem('module_disabled');
    return await runIdempotent(services, caller, idempotency, async (tx, author) => {
      const row = await write(tx, { event: event.row, author, ...body }, clock());
      const person = await people.find(author.id);
      if (!person) throw new Problem('token_invalid');
      const comment = toComment(row, person, { organizerId, publicUrl: config.publicUrl });
      return { status: 201, body: comment };
    });
  },
});

type NewCommentOf = { event: CommentedEvent; author: Caller; text: string; replyTo?: string | null };

/**
 * Whether the author is a guest, and the comment that is replied to, are read under the lock of the comments: who is removed
 * meanwhile writes none, and no reply refers to a comment that is deleted.
 */
async function write(
  tx: Transaction,
  { event, author, text, replyTo }: NewCommentOf,
  now: Date,
): Promise<CommentRow> {
  const counters = await lockComments(tx, event.id);
  if (!counters) throw new Problem('event_not_found');
  const standing = await findStanding(tx, event.id, author);
  await requireReader(tx, event, author, standing);
  if (standing.isRemoved) throw new Problem('removed_from_event');
  const parent = replyTo == null ? null : await requireParent(tx, event, author, replyTo);
  const refusal = refuseNumber(counters.commentCount, author);
  if (refusal) throw refusal;
  await countComment(tx, author, now);
  const row = await insertComment(
    tx,
    { eventId: event.id, userId: author.id, text, replyTo: parent?.id ?? null },
    counters,
    now,
  );
  await tx.execute(insertCauses(causesOf(row, event.organizerId, parent)));
  return row;
}

type Parent = { id: string; userId: string };

/** @throws Problem `comment_not_found` unless it is a comment of the event that the author can read */
async function requireParent(
  tx: Transaction,
  event: CommentedEvent,
  author: Caller,
  replyTo: string,
): Promise<Parent> {
  const comment = readCommentId(replyTo);
  const userId = await findShownAuthor(tx, event, comment, author);
  if (userId === null) throw new Problem('comment_not_found');
  return { id: comment.id, userId };
}

/** The organizer and the author of the comment that is replied to are notified, each once. */
const causesOf = ({ eventId, id, userId }: CommentRow, organizerId: string, parent: Parent | null): Cause[] =>
  [...new Set([organizerId, ...(parent ? [parent.userId] : [])])].map((recipientId) => ({
    id,
    userId: recipientId,
    kind: 'comments',
    subjectId: eventId,
    actorId: userId,
    amount: 1,
  }));

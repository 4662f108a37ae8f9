import { type CommentId, formatCommentId } from '../../lib/ids.ts';
import { type PersonRow, toPerson } from '../people/present.ts';
import type { Comment } from './schemas.ts';

/** `replyTo`: the id within the event. */
export type CommentRow = CommentId & {
  userId: string;
  text: string;
  replyTo: string | null;
  createdAt: Date;
};

export const toComment = (
  row: CommentRow,
  author: PersonRow,
  { organizerId, publicUrl }: { organizerId: string; publicUrl: string },
): Comment => ({
  id: formatCommentId(row),
  author: toPerson(author, publicUrl),
  isOrganizer: row.userId === organizerId,
  text: row.text,
  replyTo: row.replyTo && formatCommentId({ eventId: row.eventId, id: row.replyTo }),
  createdAt: row.createdAt,
});

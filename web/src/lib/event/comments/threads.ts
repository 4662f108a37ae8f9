import type { Comment } from '@potluck/client';
import type { FormProblem } from '#lib/forms/form-problem.ts';

/** A comment, and all replies to it and to its replies, the oldest first. */
export type Thread = { first: Comment; replies: Comment[] };

/** What the page of an event shows of its comments. `nextCursor`: of the page after these; null without one. */
export type ShownComments = { data: Comment[]; nextCursor: string | null; key: string };

/** What a form returned to a browser without scripts: a deletion has an `id`, and a new comment the other values. */
export type CommentResult = {
  problem?: FormProblem;
  values?: { id?: string; text?: string; replyTo?: string; key?: string };
};

/** Groups a page of comments, the oldest first. A reply to a comment of an earlier page is a thread of its own. */
export function toThreads(comments: Comment[]): Thread[] {
  const threads = new Map<string, Thread>();
  for (const comment of comments) {
    const thread = comment.replyTo === null ? undefined : threads.get(comment.replyTo);
    if (thread) thread.replies.push(comment);
    threads.set(comment.id, thread ?? { first: comment, replies: [] });
  }
  return [...new Set(threads.values())];
}

import { type Event, listComments, ProblemError } from '@potluck/client';
import type { ShownComments } from '#lib/event/comments/threads.ts';
import { readPage } from '#lib/server/pages.ts';

/** The comments of an event, of the first page or of that of the address; null for visitors who may not read them. */
export async function loadComments(
  event: Event,
  { api: client, me }: App.Locals,
  url?: URL,
): Promise<ShownComments | null> {
  // Without a token, a record has no answer.
  const hasToken = me !== null || event.myRsvp !== undefined;
  if (event.commentVisibility !== 'everyone' && !hasToken) return null;
  try {
    const query = url ? readPage(url, 50) : { limit: 50 };
    const { data } = await listComments({ client, path: { id: event.id }, query });
    return { ...data, key: crypto.randomUUID() };
  } catch (cause) {
    // Without comments, the page is still useful.
    if (cause instanceof ProblemError) return null;
    throw cause;
  }
}

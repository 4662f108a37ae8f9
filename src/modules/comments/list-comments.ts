import { Type } from 'typebox';
import { unlessLate } from '#fresh-records';
import { cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { isVisible } from '../events/policy.ts';
import { EventParams } from '../events/schemas.ts';
import type { EventServices } from '../events/services.ts';
import { findStanding } from '../events/standings.ts';
import { blockedViewer } from './policy.ts';
import { toComment } from './present.ts';
import { requireReader } from './readers.ts';
import { listComments as findComments, listHiddenAuthors } from './repo.ts';
import { CommentPage } from './schemas.ts';

export const listComments = defineEndpoint({
  method: 'GET',
  path: '/v1/events/:id/comments',
  summary: 'List the comments of an event',
  description:
    'The oldest comment first. `commentVisibility` of the event decides who may read them. The comments of suspended people are ' +
    'left out, and so are those of people between whom and the caller there is a block, except for the organizer and admins.',
  caller: 'optional',
  session: { guests: 'ofEvent' },
  params: EventParams,
  query: Type.Object(cursorQuery),
  response: { 200: CommentPage },
  problems: ['event_not_found', 'comments_private'],

  async handler({ caller, params, query }, { db, events, people, config }: EventServices) {
    const eventId = readId(params.id, 'event_not_found');
    const { cursor, limit } = query;
    const [after = null] = readCursor(cursor, 'id') ?? [];
    const [event, standing] = await Promise.all([events.find(eventId), findStanding(db, eventId, caller)]);
    if (!event || !isVisible(event.row, caller, standing)) throw new Problem('event_not_found');
    await requireReader(db, event.row, caller, standing);
    const hidden = await listHiddenAuthors(db, eventId, blockedViewer(event.row, caller));
    const found = await findComments(db, { eventId, hidden, after, limit: limit + 1 });
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const authors = await Promise.all(rows.map(async ({ userId }) => unlessLate(people.find(userId))));
    const context = { organizerId: event.row.organizerId, publicUrl: config.publicUrl };
    const data = rows.flatMap((row, i) => {
      // An account that was deleted after the statement has no comments any more.
      const author = authors[i];
      return author ? [toComment(row, author, context)] : [];
    });
    return { status: 200, body: { data, nextCursor } };
  },
});

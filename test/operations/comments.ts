/** Comments on events. */
import { writeComment } from '../support/comments.ts';
import { going } from './attendance.ts';
import { cursorPage } from './fields.ts';
import {
  asking,
  type Operation,
  of,
  optional,
  privateRead,
  privateRow,
  type RowContext,
  required,
  withToken,
} from './operation.ts';
import { opaque, orNull, prose } from './rules.ts';

const readers = { event: { commentVisibility: 'everyone' } };
/** A comment of the organizer, who may write more than others in a minute. */
const ofOrganizer = {
  path: async ({ api, organizer, event }: RowContext) => {
    await api.sql`delete from comment_limits where user_id = ${organizer.id}`;
    return `/v1/comments/${(await writeComment(api, organizer, event)).id}`;
  },
};

export const commentOperations: Record<string, Operation> = {
  'GET /v1/events/{id}/comments': {
    ...optional(),
    ...asking(cursorPage),
    rows: {
      '': { statuses: [403, 401, 403, 403, 200, 403, 200, 401] },
      'of a guest': { statuses: [403, 401, 200, 200, 200, 200, 200, 401], ...going },
      'for everyone': readers,
      private: privateRead,
    },
  },
  'POST /v1/events/{id}/comments': {
    ...required(201),
    ...of({ text: prose(1_000, { min: 1 }) }, { replyTo: orNull(opaque) }),
    example: () => ({ text: 'Is there parking near the quay?' }),
    rows: {
      '': { statuses: [401, 401, 403, 403, 201, 403, 201, 401] },
      'of a guest': going,
      'for everyone': readers,
      private: privateRow(201),
    },
  },
  'DELETE /v1/comments/{id}': {
    ...required(),
    rows: {
      'without one': {
        statuses: withToken(404),
        path: ({ event }: RowContext) => `/v1/comments/${event}.${event}`,
        ...readers,
      },
      // Whom the organizer has blocked reads none of theirs.
      'of the organizer': { statuses: [401, 401, 403, 404, 200, 403, 200, 401], ...ofOrganizer, ...readers },
    },
  },
};

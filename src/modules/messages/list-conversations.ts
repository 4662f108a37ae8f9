import { Type } from 'typebox';
import { unlessLate } from '#fresh-records';
import { cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { toConversation } from './present.ts';
import { countUnreadConversations, listConversations as findConversations } from './repo.ts';
import { ConversationPage, countedConversations } from './schemas.ts';
import type { MessageServices } from './services.ts';

export const listConversations = defineEndpoint({
  method: 'GET',
  path: '/v1/conversations',
  summary: 'List your conversations',
  description:
    'The conversation with the newest message first. Each has its newest message and the number of unread messages. ' +
    '`unreadConversations` does not depend on the page.',
  caller: 'fresh',
  query: Type.Object(cursorQuery),
  response: { 200: ConversationPage },

  async handler({ caller, query }, { db, people, config }: MessageServices) {
    const { cursor, limit } = query;
    const [before = null] = readCursor(cursor, 'id') ?? [];
    const [found, unreadConversations] = await Promise.all([
      findConversations(db, caller.id, before, limit + 1),
      countUnreadConversations(db, caller.id, countedConversations),
    ]);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const persons = await Promise.all(rows.map(async ({ otherId }) => unlessLate(people.find(otherId))));
    const data = rows.flatMap((row, i) => {
      // An account that was deleted after the first query has no messages any more.
      const other = persons[i];
      return other ? [toConversation(caller.id, row, other, config.publicUrl)] : [];
    });
    return { status: 200, body: { data, nextCursor, unreadConversations } };
  },
});

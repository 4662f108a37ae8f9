import { Type } from 'typebox';
import { cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { UserParams } from '../users/schemas.ts';
import { readUserId } from '../users/user-id.ts';
import { requirePerson } from './policy.ts';
import { toMessage } from './present.ts';
import { listMessages as findMessages } from './repo.ts';
import { MessagePage } from './schemas.ts';
import type { MessageServices } from './services.ts';

export const listMessages = defineEndpoint({
  method: 'GET',
  path: '/v1/users/:id/messages',
  summary: 'List the messages between you and a person',
  description:
    'The newest message first. A block does not hide earlier messages from either person. Listing messages does not ' +
    'mark them as read.',
  access: 'required',
  params: UserParams,
  query: Type.Object(cursorQuery),
  response: { 200: MessagePage },
  problems: ['user_not_found'],

  async handler({ caller, params, query }, { db, people }: MessageServices) {
    const { cursor, limit } = query;
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    const [before = null] = readCursor(cursor, 'id') ?? [];
    const [found] = await Promise.all([
      findMessages(db, participants, before, limit + 1),
      requirePerson(people, participants.otherId),
    ]);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    return { status: 200, body: { data: rows.map((row) => toMessage(participants, row)), nextCursor } };
  },
});

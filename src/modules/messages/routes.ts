import { Type } from 'typebox';
import { createWriteBatcher } from '../../db/batching.ts';
import type { App } from '../../http/app.ts';
import { requireCaller } from '../../http/authenticate.ts';
import { cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { route } from '../../http/route.ts';
import { ref } from '../../http/schemas.ts';
import { readIdempotencyKey, runIdempotent, sendReplayable } from '../../idempotency/idempotency.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import type { Deps } from '../../server/build-app.ts';
import { UserParams } from '../users/schemas.ts';
import { type MessageRow, toConversation, toMessage } from './present.ts';
import * as queries from './repo.ts';
import { ConversationPage, Message, MessagePage, NewMessage, Read } from './schemas.ts';
import { type Ask, sendMessage, sendMessages } from './send.ts';

/** Messages between two people. */
export function messageRoutes(app: App, { db, clock, people, config, flags }: Deps): void {
  /** Of all who look at a conversation, this is asked of memory: every request has looked at the changes. */
  const requirePerson = async (id: string) => {
    if (!(await people.find(id))) throw new Problem('user_not_found');
  };

  const circumstances = { clock, maxAMinute: config.messagesPerMinute };
  let asked = 0;
  // Each has a key of its own: any number of messages between two people share a batch, in their order.
  const send = createWriteBatcher<Ask, MessageRow>(
    (asks, mayWaitForLocks) => sendMessages(db, asks, circumstances, mayWaitForLocks),
    { keyOf: () => `${asked++}` },
  );

  app.post(
    '/v1/users/:id/messages',
    route({
      name: 'sendMessage',
      access: 'required',
      tag: 'Messages',
      summary: 'Write to a person',
      description:
        'Not while either has blocked the other; anybody else can write, also to a private profile. Within a minute a person may send as many messages as the operator ' +
        'allows, 60 unless they say otherwise; what is above is a 429.',
      params: UserParams,
      body: NewMessage,
      response: { 201: ref(Message) },
      idempotent: true,
      problems: ['user_not_found', 'self_relation', 'blocked', 'feature_disabled'],
    }),
    async (request, reply) => {
      const viewer = requireCaller(request);
      const sides = { userId: viewer.id, otherId: readId(request.params.id, 'user_not_found') };
      if (sides.otherId === viewer.id) throw new Problem('self_relation');
      // Whoever is gone would be asked for apart from all others, where one waits for the next.
      await requirePerson(sides.otherId);
      await flags.require('messages');
      const { text } = request.body;
      const once = readIdempotencyKey(request, viewer, config.secretKey);
      if (!once) {
        const row = await send({ viewer, otherId: sides.otherId, text });
        return reply.code(201).send(toMessage(sides, row));
      }
      const made = await runIdempotent(db, clock(), once, viewer, async (tx) => {
        const row = await sendMessage(tx, { ...sides, text }, circumstances);
        return { status: 201, body: JSON.stringify(toMessage(sides, row)) };
      });
      return sendReplayable(reply, made);
    },
  );

  app.get(
    '/v1/users/:id/messages',
    route({
      name: 'listMessages',
      access: 'required',
      tag: 'Messages',
      summary: 'What the caller and a person wrote to each other',
      description:
        'The newest first. Both can read it after a block as before. Reading marks nothing as read.',
      params: UserParams,
      querystring: Type.Object(cursorQuery),
      response: { 200: MessagePage },
      problems: ['user_not_found'],
    }),
    async (request) => {
      const { id: userId } = requireCaller(request);
      const { cursor, limit } = request.query;
      const sides = { userId, otherId: readId(request.params.id, 'user_not_found') };
      const [before = null] = readCursor(cursor, 'id') ?? [];
      const [found] = await Promise.all([
        queries.listMessages(db, sides, before, limit + 1),
        requirePerson(sides.otherId),
      ]);
      const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
      return { data: rows.map((row) => toMessage(sides, row)), nextCursor };
    },
  );

  app.post(
    '/v1/users/:id/messages/read',
    route({
      name: 'markMessagesRead',
      access: 'required',
      tag: 'Messages',
      summary: 'Say that you have read what a person wrote to you',
      description: 'All that has come by then. What comes later is counted anew.',
      params: UserParams,
      response: { 200: Read },
      problems: ['user_not_found'],
    }),
    async (request) => {
      const viewer = requireCaller(request);
      const sides = { userId: viewer.id, otherId: readId(request.params.id, 'user_not_found') };
      await requirePerson(sides.otherId);
      await actAs(db, viewer, (tx) => queries.markRead(tx, sides));
      return { unreadCount: 0 };
    },
  );

  app.get(
    '/v1/conversations',
    route({
      name: 'listConversations',
      access: 'required',
      tag: 'Messages',
      summary: 'Whom the caller writes with',
      description:
        'The one with the newest message first, with that message and the number of those that are unread.',
      querystring: Type.Object(cursorQuery),
      response: { 200: ConversationPage },
    }),
    async (request) => {
      const { id: userId } = requireCaller(request);
      const { cursor, limit } = request.query;
      const [before = null] = readCursor(cursor, 'id') ?? [];
      const found = await queries.listConversations(db, userId, before, limit + 1);
      const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
      const persons = await Promise.all(rows.map(async ({ otherId }) => people.find(otherId)));
      const data = rows.flatMap((row, i) => {
        // Whoever is gone has just gone, and their messages with them.
        const other = persons[i];
        return other ? [toConversation(userId, row, other, config.publicUrl)] : [];
      });
      return { data, nextCursor };
    },
  );
}

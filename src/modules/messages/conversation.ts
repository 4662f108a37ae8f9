import { Type } from 'typebox';
import { maxId } from '#base';
import { cursorQuery, readCursor, toPage } from '../../http/cursors.ts';
import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { UserParams } from '../people/schemas.ts';
import { readUserId } from '../people/user-id.ts';
import { requireEvent, requirePerson, visibleEvents } from './policy.ts';
import { toMessage } from './present.ts';
import { markRead } from './repo.ts';
import { Message, MessagePage, NewMessage, Read } from './schemas.ts';
import type { MessageServices } from './services.ts';

const common = {
  caller: 'fresh',
  params: UserParams,
} as const;

export const listMessages = defineEndpoint({
  ...common,
  method: 'GET',
  path: '/v1/users/:id/messages',
  summary: 'List the messages between you and a person',
  description:
    'The newest message first. A block does not hide earlier messages from either person. Listing messages does not ' +
    'mark them as read.',
  query: Type.Object(cursorQuery),
  response: { 200: MessagePage },
  problems: ['user_not_found'],

  async handler({ caller, params, query }, services: MessageServices) {
    const { people, loadMessages } = services;
    const { cursor, limit } = query;
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    const [before = maxId] = readCursor(cursor, 'id') ?? [];
    const [found] = await Promise.all([
      loadMessages({ ...participants, before, atMost: limit + 1 }),
      requirePerson(people, participants.otherId),
    ]);
    const { rows, nextCursor } = toPage(found, limit, ({ id }) => [id]);
    const visible = await visibleEvents(services, caller, rows);
    const data = rows.map((row) => {
      const isShown = row.eventId !== null && visible.has(row.eventId);
      return toMessage(participants, isShown ? row : { ...row, eventId: null });
    });
    return { status: 200, body: { data, nextCursor } };
  },
});

export const sendMessage = defineEndpoint({
  ...common,
  method: 'POST',
  path: '/v1/users/:id/messages',
  summary: 'Send a message to a person',
  description:
    'A block in either direction prevents messages between two people; otherwise the caller may send messages to ' +
    'anyone, also to people with a private profile. The operator limits the messages of a person in a minute and in a ' +
    'day of UTC, by default to 60 and 2,000; one more results in a 429.',
  retry: 'idempotent',
  body: NewMessage,
  response: { 201: Message },
  problems: [
    'user_not_found',
    'self_relation',
    'event_not_found',
    'blocked',
    'feature_disabled',
    'quota_exceeded',
  ],

  async handler({ caller, params, body, idempotency }, services: MessageServices) {
    const { people, flags, messages } = services;
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    if (participants.otherId === caller.id) throw new Problem('self_relation');
    // A missing recipient would leave the batch and be retried individually, which is serial and therefore
    // slow.
    await requirePerson(people, participants.otherId);
    await flags.require('messages');
    const eventId = body.eventId === undefined ? null : await requireEvent(services, caller, body.eventId);
    const command = { caller, otherId: participants.otherId, text: body.text, eventId };
    return messages.respond(command, idempotency, 201, (row) => toMessage(participants, row));
  },
});

export const markMessagesRead = defineEndpoint({
  ...common,
  method: 'POST',
  path: '/v1/users/:id/messages/read',
  summary: 'Mark all messages from a person as read',
  description: 'Messages that arrive later are unread.',
  response: { 200: Read },
  problems: ['user_not_found'],

  async handler({ caller, params }, { db, people }: MessageServices) {
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    await requirePerson(people, participants.otherId);
    await actAs(db, caller, (tx) => markRead(tx, participants));
    return { status: 200, body: { unreadCount: 0 } };
  },
});

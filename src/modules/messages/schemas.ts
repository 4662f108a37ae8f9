import { type Static, Type } from 'typebox';
import { cursorPage } from '../../http/cursors.ts';
import { body, named, nullable, prose, ref, seenPattern, timestamp } from '../../http/schemas.ts';
import { Person } from '../people/schemas.ts';

/** Bounds the cost of their number: a person may have thousands. */
export const countedConversations = 100;

const exampleText = 'Shall I bring a second loaf?';
const exampleEvent = '0197a2f4-6c1e-7a34-9a51-2f0c8a6de0e1';

export const NewMessage = body(
  {
    text: prose(2_000, {
      minLength: 1,
      format: 'visible-text',
      pattern: seenPattern,
      description: 'Any number of lines. At least one character must be visible.',
      examples: [exampleText],
    }),
    eventId: Type.Optional(
      Type.String({
        description: 'The event that the message is about. The caller must be able to see it.',
        examples: [exampleEvent],
      }),
    ),
  },
  { examples: [{ text: exampleText }] },
);
export type NewMessage = Static<typeof NewMessage>;

const messageFields = {
  id: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de0a1'] }),
  senderId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de001'] }),
  text: Type.String({ examples: [exampleText] }),
  createdAt: timestamp(),
};

export const Message = named(
  'Message',
  Type.Object({
    ...messageFields,
    recipientId: Type.String({ examples: ['0197a2f4-6c1e-7a34-9a51-2f0c8a6de002'] }),
    eventId: nullable(Type.String({ examples: [exampleEvent] }), {
      description:
        'The event that the message is about; null without one, if the event is deleted, and if the caller may not see it.',
    }),
  }),
);
export type Message = Static<typeof Message>;
export const MessagePage = cursorPage(Message);

export const Conversation = named(
  'Conversation',
  Type.Object({
    user: ref(Person),
    lastMessage: Type.Object(messageFields, { description: 'The newest message of either person.' }),
    unreadCount: Type.Integer({
      description: 'Number of messages from the other person that are not marked as read.',
      examples: [2],
    }),
  }),
);
export type Conversation = Static<typeof Conversation>;
export const ConversationPage = cursorPage(Conversation, {
  unreadConversations: Type.Integer({
    description: `Number of conversations with unread messages, of the ${countedConversations} with the newest messages.`,
    examples: [1],
  }),
});

export const Read = named('UnreadMessages', Type.Object({ unreadCount: Type.Integer({ examples: [0] }) }));

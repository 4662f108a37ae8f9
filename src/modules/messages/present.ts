import { type PersonRow, toPerson } from '../people/present.ts';
import type { Conversation, Message } from './schemas.ts';

/** One side's copy of a message. `isOwn`: that side is the sender. */
export type MessageRow = {
  id: string;
  isOwn: boolean;
  text: string;
  createdAt: Date;
  eventId: string | null;
};
/** The owner of the copy, and the other person. */
export type Participants = { userId: string; otherId: string };
/** A conversation with its newest message. */
export type ConversationRow = MessageRow & { otherId: string; unreadCount: number };

export const toMessage = ({ userId, otherId }: Participants, row: MessageRow): Message => ({
  // Assigned one by one: a spread takes as long as the serialization of the message.
  id: row.id,
  text: row.text,
  createdAt: row.createdAt,
  eventId: row.eventId,
  senderId: row.isOwn ? userId : otherId,
  recipientId: row.isOwn ? otherId : userId,
});

export const toConversation = (
  userId: string,
  row: ConversationRow,
  other: PersonRow,
  publicUrl: string,
): Conversation => ({
  user: toPerson(other, publicUrl),
  lastMessage: toMessage({ userId, otherId: row.otherId }, row),
  unreadCount: row.unreadCount,
});

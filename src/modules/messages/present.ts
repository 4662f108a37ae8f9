import { type PersonRow, toPerson } from '../users/present.ts';
import type { Conversation, Message } from './schemas.ts';

/** One side's copy of a message. `isOwn`: that side is the sender. */
export type MessageRow = { id: string; isOwn: boolean; text: string; createdAt: Date };
/** The owner of the copy, and the other person. */
export type Participants = { userId: string; otherId: string };
/** A conversation with its newest message. */
export type ConversationRow = MessageRow & { otherId: string; unreadCount: number };

const toMessageFields = (
  { userId, otherId }: Participants,
  row: MessageRow,
): Conversation['lastMessage'] => ({
  id: row.id,
  senderId: row.isOwn ? userId : otherId,
  text: row.text,
  createdAt: row.createdAt.toISOString(),
});

export const toMessage = (participants: Participants, row: MessageRow): Message => ({
  ...toMessageFields(participants, row),
  recipientId: row.isOwn ? participants.otherId : participants.userId,
});

export const toConversation = (
  userId: string,
  row: ConversationRow,
  other: PersonRow,
  publicUrl: string,
): Conversation => ({
  user: toPerson(other, publicUrl),
  lastMessage: toMessageFields({ userId, otherId: row.otherId }, row),
  unreadCount: row.unreadCount,
});

/** Messages as they leave the server. */
import { type PersonRow, toPerson } from '../users/present.ts';
import type { Conversation, Message } from './schemas.ts';

/** One side's copy of a message. */
export type MessageRow = { id: string; isOwn: boolean; text: string; createdAt: Date };
/** Whose copy it is, and who the other is. */
export type Sides = { userId: string; otherId: string };
/** With its newest message. */
export type ConversationRow = MessageRow & { otherId: string; unreadCount: number };

const toCore = ({ userId, otherId }: Sides, row: MessageRow): Conversation['lastMessage'] => ({
  id: row.id,
  senderId: row.isOwn ? userId : otherId,
  text: row.text,
  createdAt: row.createdAt.toISOString(),
});

export const toMessage = (sides: Sides, row: MessageRow): Message => ({
  ...toCore(sides, row),
  recipientId: row.isOwn ? sides.otherId : sides.userId,
});

export const toConversation = (
  userId: string,
  row: ConversationRow,
  other: PersonRow,
  publicUrl: string,
): Conversation => ({
  user: toPerson(other, publicUrl),
  lastMessage: toCore({ userId, otherId: row.otherId }, row),
  unreadCount: row.unreadCount,
});

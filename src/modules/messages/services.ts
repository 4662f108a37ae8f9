import { createLoader } from '#pg';
import { type BatchWriter, createBatchWriter } from '../../idempotency/batch-writer.ts';
import type { EventServices } from '../events/services.ts';
import { keyOfPair, pairOf } from '../people/relations/locks.ts';
import type { PeopleServices } from '../people/services.ts';
import type { MessageRow } from './present.ts';
import { listMessages, type MessagesKey } from './repo.ts';
import { messageRules, type SendMessageCommand } from './send.ts';

export type MessageServices = EventServices & {
  /** Sends messages. */
  messages: BatchWriter<SendMessageCommand, MessageRow>;
  /** Loads a page of a conversation, the newest message first. */
  loadMessages(page: MessagesKey): Promise<MessageRow[]>;
};

export const createMessageServices = ({
  db,
  clock,
  config,
}: PeopleServices): Pick<MessageServices, 'messages' | 'loadMessages'> => ({
  messages: createBatchWriter({
    db,
    clock,
    // A batch may have any number of messages between two people, in the order of their arrival.
    keyOf: () => null,
    targetOf: ({ caller, otherId }) => keyOfPair(pairOf(caller.id, otherId)),
    rules: () =>
      messageRules({
        clock,
        limits: { perMinute: config.messagesPerMinute, perDay: config.dailyQuotas?.messages ?? 0 },
      }),
  }),
  loadMessages: createLoader((pages: MessagesKey[]) => listMessages(db, pages), {
    keyOf: ({ userId, otherId, before, atMost }) => `${userId}${otherId}${before}${atMost}`,
  }),
});

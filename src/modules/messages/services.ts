import { createWriteBatcher } from '../../db/batching.ts';
import { keyOfPair, pairOf } from '../users/relation-locks.ts';
import type { UserServices } from '../users/services.ts';
import type { MessageRow } from './present.ts';
import { type DecisionContext, type SendMessageCommand, sendMessages } from './send.ts';

export type MessageServices = UserServices & {
  /** Sends a message in a batch. @throws Problem as `sendMessage`, and `token_invalid` */
  sendInBatch: (command: SendMessageCommand) => Promise<MessageRow>;
  messageContext: DecisionContext;
};

export function createMessageServices({ db, clock, config }: UserServices) {
  const messageContext: DecisionContext = { clock, maxPerMinute: config.messagesPerMinute };
  return {
    messageContext,
    sendInBatch: createWriteBatcher<SendMessageCommand, MessageRow>(
      (commands, waits) => sendMessages(db, commands, messageContext, waits === 'all'),
      // Without keys: a batch may hold any number of messages between two people, in the order of their
      // arrival.
      {
        keysOf: () => [],
        senderOf: ({ caller }) => caller.id,
        targetOf: ({ caller, otherId }) => keyOfPair(pairOf(caller.id, otherId)),
      },
    ),
  };
}

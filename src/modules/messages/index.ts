import { defineModule } from '../../http/define-module.ts';
import { listMessages, markMessagesRead, sendMessage } from './conversation.ts';
import { messageDeletionHooks } from './delete-account-data.ts';
import { messageExportSections } from './export-sections.ts';
import { listConversations } from './list-conversations.ts';
import { maintainMessages } from './retention.ts';
import type { MessageServices } from './services.ts';

/** Messages between two people. */
export const messages = defineModule<MessageServices>({
  tag: 'Messages',
  endpoints: { sendMessage, listMessages, markMessagesRead, listConversations },
  deletionHooks: messageDeletionHooks,
  exportSections: messageExportSections,
  jobs: [
    {
      name: 'maintain messages',
      everyMs: 60 * 60_000,
      run: ({ db, clock, config }) => maintainMessages(db, clock(), config.retention.messageDays),
    },
  ],
});

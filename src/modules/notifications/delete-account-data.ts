/** Account deletion: the inbox and settings of the person, and the person in the inboxes of others. */
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteNotificationsOf } from './delivery-repo.ts';

export const notificationDeletionHooks: DeletionHook[] = [
  {
    // The hook of `events` has deleted the fan-outs of the person's events, and so has waited for the jobs that
    // worked on them.
    firstTable: 'notification_causes',
    run: async (tx, { userId }) => {
      await deleteNotificationsOf(tx, userId);
      return {};
    },
  },
];

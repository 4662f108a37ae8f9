/** Account deletion: the causes, inbox, settings and mails of the person, and the person in the inboxes of others. */
import { sql } from '#pg';
import type { DeletionHook } from '../../http/define-module.ts';
import { deleteMailsOf } from '../../mail/mails.ts';
import { lockAndDelete } from '../../outbox/delete-notifications.ts';
import { countedKinds } from '../../outbox/kinds.ts';

/**
 * Deletes a person's causes, inbox and settings, and the notifications of others that come from the person. A
 * notification that counts the person among others no longer names them.
 */
export const notificationDeletionHooks: DeletionHook[] = [
  {
    // The hook of `events` has deleted the fan-outs of the person's events, and so has waited for the jobs that
    // worked on them.
    firstTable: 'notification_causes',
    run: async (tx, { userId }) => {
      await lockAndDelete(tx, 'notification_causes', sql`(user_id = ${userId} or actor_id = ${userId})`);
      await lockAndDelete(
        tx,
        'notifications',
        sql`(user_id = ${userId} or person_id = ${userId})`,
        sql`
          update notifications set person_id = null, count = count - 1
          where person_id = ${userId} and user_id <> ${userId} and kind = any(${countedKinds}) and count > 1`,
      );
      await tx.execute(sql`delete from notification_settings where user_id = ${userId}`);
    },
  },
  {
    firstTable: 'mails',
    run: async (tx, { userId }) => {
      await deleteMailsOf(tx, userId);
    },
  },
];

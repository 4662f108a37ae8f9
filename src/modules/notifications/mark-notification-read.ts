import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { countUnread, markRead } from './repo.ts';
import { NotificationParams, UnreadCount } from './schemas.ts';

export const markNotificationRead = defineEndpoint({
  method: 'POST',
  path: '/v1/notifications/:id/read',
  summary: 'Mark a notification as read',
  description: 'A notification that a newer one replaced is not found: the newer one is unread.',
  access: 'required',
  params: NotificationParams,
  response: { 200: UnreadCount },
  problems: ['notification_not_found'],

  async handler({ caller, params }, { db, clock }: BaseServices) {
    const id = readId(params.id, 'notification_not_found');
    const unreadCount = await actAs(db, caller, async (tx) => {
      if (!(await markRead(tx, caller.id, id, clock()))) throw new Problem('notification_not_found');
      return countUnread(tx, caller);
    });
    return { status: 200, body: { unreadCount } };
  },
});

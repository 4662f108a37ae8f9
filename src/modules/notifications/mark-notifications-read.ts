import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAs } from '../../identity/act-as.ts';
import { Problem } from '../../lib/errors.ts';
import { readId } from '../../lib/ids.ts';
import { countUnread, markRead, markReadUpTo } from './repo.ts';
import { NotificationParams, ReadUpTo, UnreadCount } from './schemas.ts';

const common = {
  method: 'POST',
  retry: 'repeatable',
  caller: 'fresh',
  response: { 200: UnreadCount },
} as const;

export const markNotificationRead = defineEndpoint({
  ...common,
  path: '/v1/notifications/:id/read',
  summary: 'Mark a notification as read',
  description: 'A notification that a newer one replaced is not found: the newer one is unread.',
  params: NotificationParams,
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

export const markNotificationsRead = defineEndpoint({
  ...common,
  path: '/v1/notifications/read',
  summary: 'Mark all notifications up to one as read',
  description:
    'Marks the notification `upTo` and all older ones. Newer notifications, which the person may not have seen, ' +
    'stay unread. `upTo` is a position: the notification itself need not exist any more.',
  body: ReadUpTo,
  problems: ['notification_not_found'],

  async handler({ caller, body }, { db, clock }: BaseServices) {
    // A malformed id has no position.
    const id = readId(body.upTo, 'notification_not_found');
    const unreadCount = await actAs(db, caller, async (tx) => {
      await markReadUpTo(tx, caller.id, id, clock());
      return countUnread(tx, caller);
    });
    return { status: 200, body: { unreadCount } };
  },
});

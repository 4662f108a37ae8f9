import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAs } from '../../identity/act-as.ts';
import { countUnread, markReadUpTo } from './repo.ts';
import { ReadUpTo, UnreadCount } from './schemas.ts';

export const markNotificationsRead = defineEndpoint({
  method: 'POST',
  path: '/v1/notifications/read',
  summary: 'Mark all notifications up to one as read',
  description:
    'Marks the notification `upTo` and all older ones. Newer notifications, which the person may not have seen, ' +
    'stay unread. `upTo` is a position: the notification itself need not exist any more.',
  access: 'required',
  body: ReadUpTo,
  response: { 200: UnreadCount },

  async handler({ caller, body }, { db, clock }: BaseServices) {
    const unreadCount = await actAs(db, caller, async (tx) => {
      await markReadUpTo(tx, caller.id, body.upTo, clock());
      return countUnread(tx, caller);
    });
    return { status: 200, body: { unreadCount } };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import { actAs } from '../../identity/act-as.ts';
import { UserParams } from '../users/schemas.ts';
import { readUserId } from '../users/user-id.ts';
import { requirePerson } from './policy.ts';
import { markRead } from './repo.ts';
import { Read } from './schemas.ts';
import type { MessageServices } from './services.ts';

export const markMessagesRead = defineEndpoint({
  method: 'POST',
  path: '/v1/users/:id/messages/read',
  summary: 'Mark all messages from a person as read',
  description: 'Messages that arrive later are unread.',
  access: 'required',
  params: UserParams,
  response: { 200: Read },
  problems: ['user_not_found'],

  async handler({ caller, params }, { db, people }: MessageServices) {
    const participants = { userId: caller.id, otherId: readUserId(params.id) };
    await requirePerson(people, participants.otherId);
    await actAs(db, caller, (tx) => markRead(tx, participants));
    return { status: 200, body: { unreadCount: 0 } };
  },
});

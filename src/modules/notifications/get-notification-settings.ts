import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { toSettings } from './present.ts';
import { listSettings } from './repo.ts';
import { NotificationSettings } from './schemas.ts';

export const getNotificationSettings = defineEndpoint({
  method: 'GET',
  path: '/v1/notifications/settings',
  summary: 'Get your notification settings',
  description: 'A level for each kind of notification. Until it is changed, it is the default of the kind.',
  caller: 'fresh',
  response: { 200: NotificationSettings },

  async handler({ caller }, { db }: BaseServices) {
    return { status: 200, body: toSettings(await listSettings(db, caller.id)) };
  },
});

import { defineEndpoint } from '../../http/define-endpoint.ts';
import type { BaseServices } from '../../http/services.ts';
import { actAs } from '../../identity/act-as.ts';
import { toSettings } from './present.ts';
import { listSettings, writeSettings } from './repo.ts';
import { NotificationSettings, NotificationSettingsChange } from './schemas.ts';

export const updateNotificationSettings = defineEndpoint({
  method: 'PATCH',
  path: '/v1/notifications/settings',
  summary: 'Change your notification settings',
  description: 'Kinds that are left out do not change. Existing notifications stay.',
  caller: 'fresh',
  body: NotificationSettingsChange,
  response: { 200: NotificationSettings },

  async handler({ caller, body }, { db }: BaseServices) {
    const rows = await actAs(db, caller, async (tx) => {
      await writeSettings(tx, caller.id, Object.entries(body));
      return listSettings(tx, caller.id);
    });
    return { status: 200, body: toSettings(rows) };
  },
});

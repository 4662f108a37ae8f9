import {
  getFeatures,
  getNotificationSettings,
  getPushKey,
  isProblem,
  type NotificationSettings,
  updateNotificationSettings,
} from '@potluck/client';
import { kinds, levels } from '#lib/inbox/notifications.ts';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url }) => {
  const { email } = requireMe(locals, url);
  const client = locals.api;
  const [settings, pushKey, { mail }] = await Promise.all([
    read(getNotificationSettings({ client })),
    findPushKey(getPushKey({ client })),
    read(getFeatures({ client })),
  ]);
  return { settings, pushKey, sendsMails: mail, address: mail ? email : null };
};

/** Returns null on a server without web push. */
async function findPushKey(response: Promise<{ data: { publicKey: string } }>): Promise<string | null> {
  try {
    return (await response).data.publicKey;
  } catch (error) {
    if (isProblem(error, 'push_unavailable')) return null;
    throw error;
  }
}

export const actions: Actions = {
  save: formAction({
    access: 'people',
    fields: (form) => {
      const settings: Partial<NotificationSettings> = {};
      for (const kind of kinds) {
        const level = levels.find((name) => name === form.get(kind));
        if (level) settings[kind] = level;
      }
      return settings;
    },
    send: ({ client }, body) => updateNotificationSettings({ client, body }),
    done: () => ({ isSaved: true }),
  }),
};

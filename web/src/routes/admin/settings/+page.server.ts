import { getSettings, updateSettings } from '@potluck/client';
import { formAction } from '#lib/server/form-action.ts';
import { problemFields, readSettings, toChange, toolActions } from '#lib/server/instance-form.ts';
import { load as read } from '#lib/server/problems.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import { findTestWays } from '#lib/server/test-ways.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals, url, depends }) => {
  depends('app:settings');
  requireAdmin(locals, url);
  const client = locals.api;
  const [settings, ways] = await Promise.all([
    read(getSettings({ client })),
    findTestWays(client, locals.me),
  ]);
  return { settings, ways };
};

export const actions: Actions = {
  ...toolActions,
  save: formAction({
    fields: (form) => ({ tool: 'settings' as const, settings: readSettings(form) }),
    send: ({ client }, { settings }) => updateSettings({ client, body: toChange(settings) }),
    done: () => ({ tool: 'settings' as const, isSaved: true }),
    problemFields,
  }),
};

import { updateSettings } from '@potluck/client';
import { formAction } from '#lib/server/form-action.ts';
import { loadTools, problemFields, readSettings, toChange, toolActions } from '#lib/server/instance-form.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = loadTools;

export const actions: Actions = {
  ...toolActions,
  save: formAction({
    fields: (form) => ({ tool: 'settings' as const, settings: readSettings(form) }),
    send: ({ client }, { settings }) => updateSettings({ client, body: toChange(settings) }),
    done: () => ({ tool: 'settings' as const, isSaved: true }),
    problemFields,
  }),
};

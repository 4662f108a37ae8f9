import { updateSettings } from '@potluck/client';
import {
  loadTools,
  problemFields,
  readSettings,
  toChange,
  toolActions,
} from '#lib/admin/server/instance-form.ts';
import { formAction } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = loadTools;

/** Saves the settings that a form has. */
const save = <Tool extends 'settings' | 'signIn'>(tool: Tool) =>
  formAction({
    access: 'admins',
    fields: (form) => ({ tool, settings: readSettings(form) }),
    send: ({ client }, { settings }) => updateSettings({ client, body: toChange(settings) }),
    done: () => ({ tool, isSaved: true }),
    problemFields,
  });

export const actions: Actions = { ...toolActions, save: save('settings'), signIn: save('signIn') };

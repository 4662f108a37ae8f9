import { getSetup, setUp } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { problemFields, readSettings, toChange } from '#lib/admin/server/instance-form.ts';
import { texts } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import type { Actions, PageServerLoad } from './$types';

const tokenOf = (url: URL) => readQuery(url).text('token');

export const load: PageServerLoad = async ({ locals, url }) => ({
  settings: await read(getSetup({ client: locals.api, query: { token: tokenOf(url) } })),
});

export const actions: Actions = {
  default: formAction({
    access: 'anyone',
    fields: (form) => ({ ...texts(form, 'displayName', 'own', 'country'), settings: readSettings(form) }),
    send({ client, url }, { displayName, own, country, settings }) {
      const contact = own.includes('@') ? { email: own } : { phone: own, ...(country && { country }) };
      return setUp({ client, body: { token: tokenOf(url), displayName, ...contact, ...toChange(settings) } });
    },
    done: () => redirect(303, '/setup/ready'),
    problemFields,
  }),
};

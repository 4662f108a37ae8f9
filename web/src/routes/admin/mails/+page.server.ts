import { listAdminMails, sendTestMail } from '@potluck/client';
import { states } from '#lib/admin/mails.ts';
import { texts } from '#lib/forms/texts.ts';
import { getLanguage } from '#lib/language/languages.ts';
import { formAction } from '#lib/server/form-action.ts';
import { readPage } from '#lib/server/pages.ts';
import { load as read } from '#lib/server/problems.ts';
import { readQuery } from '#lib/server/read-fields.ts';
import { requireAdmin } from '#lib/server/require-admin.ts';
import type { Actions, PageServerLoad } from './$types';

const names = Object.keys(states) as (keyof typeof states)[];

export const load: PageServerLoad = async ({ locals, url }) => {
  requireAdmin(locals, url);
  const state = names.find((name) => name === readQuery(url).text('state')) ?? null;
  const query = { ...readPage(url, 50), ...(state && { state }) };
  return { state, mails: await read(listAdminMails({ client: locals.api, query })) };
};

export const actions: Actions = {
  default: formAction({
    access: 'admins',
    fields: (form) => texts(form, 'address'),
    send: ({ client }, { address }) => sendTestMail({ client, body: { address, language: getLanguage() } }),
    done: (_, { address }) => ({ sentTo: address }),
  }),
};

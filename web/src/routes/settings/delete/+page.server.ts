import { deleteMe, requestDeleteCode } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { textOf } from '#lib/forms/texts.ts';
import { formAction } from '#lib/server/form-action.ts';
import { requireMe } from '#lib/server/require-me.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals, url }) => {
  // Suspended people may delete their account, too.
  if (locals.session !== 'suspended') requireMe(locals, url);
};

export const actions: Actions = {
  /** Sends the code. In development the API returns it. */
  code: formAction({
    access: 'people',
    fields: () => ({ isCodeSent: false }),
    send: ({ client }) => requestDeleteCode({ client }),
    done: ({ data }) => ({ isCodeSent: true, devCode: data.devCode ?? null, code: data.code ?? null }),
    // The phone may have a code that is still valid, so the form asks for it.
    keep: (_, code) => ({ isCodeSent: code === 'too_many_codes' }),
  }),

  delete: formAction({
    access: 'people',
    fields: () => ({ isCodeSent: true }),
    send: ({ client, form }) =>
      deleteMe({ client, body: { confirmCode: textOf(form.get('code')).replace(/\s/g, '') } }),
    done: () => redirect(303, '/goodbye'),
  }),
};

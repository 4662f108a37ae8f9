import { signInByLink } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { formAction, texts } from '#lib/server/form-action.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = ({ locals: { me }, url }) => {
  if (me) redirect(303, '/');
  return { token: url.searchParams.get('token') ?? '' };
};

export const actions: Actions = {
  /** Programs that check mails open links, and press no buttons. */
  default: formAction({
    fields: (form) => texts(form, 'token'),
    send: ({ client }, body) => signInByLink({ client, body }),
    done: () => redirect(303, '/'),
  }),
};

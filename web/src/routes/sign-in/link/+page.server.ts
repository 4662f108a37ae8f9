import { signInByLink } from '@potluck/client';
import { redirect } from '@sveltejs/kit';
import { announce, goOn } from '#lib/server/after-sign-in.ts';
import { formAction, texts } from '#lib/server/form-action.ts';
import { localPath } from '#lib/server/local-path.ts';
import type { Actions, PageServerLoad } from './$types';

export const load: PageServerLoad = async ({ locals: { me, api }, url }) => {
  const next = localPath(url.searchParams.get('next'));
  if (me) redirect(303, next);
  const query = queryOf(next);
  return {
    token: url.searchParams.get('token') ?? '',
    ...(await announce(api, query)),
    /** Where this form is sent, and where a new link can be had, for the same page that follows. */
    action: `/sign-in/link?${new URLSearchParams({ next })}`,
    again: `/sign-in?${new URLSearchParams({ ...Object.fromEntries(query), by: 'email' })}`,
  };
};

export const actions: Actions = {
  /** Programs that check mails open links, and press no buttons. */
  default: formAction({
    fields: (form) => texts(form, 'token'),
    send: ({ client }, body) => signInByLink({ client, body }),
    done: (_, __, { client, form }) => goOn(client, form),
  }),
};

/** If the page that follows is that of the sign-in, this one does what it would do. */
function queryOf(path: string): URLSearchParams {
  const { pathname, searchParams } = new URL(path, 'http://local.invalid');
  return pathname === '/sign-in' ? searchParams : new URLSearchParams({ next: path });
}
